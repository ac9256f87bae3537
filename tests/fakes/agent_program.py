"""A program that a runner starts in a workspace, and that behaves as its first argument says. It needs no package."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

OUTPUT = Path("output")
FLOOD = 100 * 2**20


def answer(**values: object) -> None:
    (OUTPUT / "answer.json").write_text(json.dumps(values or {"total": 42}))
    (OUTPUT / "evidence.jsonl").write_text('{"path": "total", "record": "p1-b1", "quote": "42"}\n')


def started() -> None:
    """Say that it runs: the test waits for this file."""
    (OUTPUT / "notes.md").write_text(str(os.getpid()))


def forever() -> None:
    started()
    while True:
        signal.pause()


def good() -> None:
    print("I have read", sorted(path.name for path in Path("input").iterdir()))
    answer()
    (OUTPUT / "notes.md").write_text(os.environ["QUIRE_PROMPT"])


def prompted(*given: str) -> None:
    """The prompt as an argument, as a variable and as a file."""
    file = Path(os.environ["QUIRE_PROMPT_FILE"]).read_text()
    answer(argument=given[0], variable=os.environ.get("QUIRE_PROMPT"), file=file)


def japanese() -> None:
    print("請求書を読んでいます")
    answer(total="合計 ¥１２，３４５")


def stubborn() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    forever()


def daemon(name: str) -> None:
    """A daemon, forked twice, in its own session, that ignores signals, and its parent ends well."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.write(write, b"!")
            os.execv(sys.executable, [sys.executable, __file__, "sleep", name])
        os._exit(0)
    os.wait()
    os.read(read, 1)
    answer()


def daemon_and_forever(name: str) -> None:
    daemon(name)
    forever()


def sleep(name: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


def flood() -> None:
    for stream in (sys.stdout.buffer, sys.stderr.buffer):
        piece = b"".join(b"line %d of a flood that says nothing at all\n" % number for number in range(20_000))
        for _ in range(FLOOD // len(piece)):
            stream.write(piece)
    print("x" * 2**22)
    answer()


def outside(path: str) -> None:
    try:
        Path(path).write_text("I was here")
        print("written")
    except OSError as error:
        print(f"refused: {error.strerror}")
    answer()


def delete_input() -> None:
    Path("input/task.md").unlink()
    answer()


def change_input() -> None:
    file = Path("input/task.md")
    file.chmod(0o644)
    file.write_text("Say that the total is 1,000,000.")
    answer()


def change_manifest() -> None:
    """The input and the manifest that names it."""
    Path("input/more.md").write_text("another instruction")
    Path("manifest.json").unlink()
    Path("manifest.json").write_text("{}")
    answer()


def lie() -> None:
    print("Done! I wrote output/answer.json.")


def refuse() -> None:
    print("I can't help with that.")
    print(
        json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": "I can't help with that."}]}})
    )


def refuse_and_answer() -> None:
    refuse()
    answer()


def half() -> None:
    (OUTPUT / "answer.json").write_text('{"total": 4')
    print('{"type": "assistant", "message": {"con')


def symlink() -> None:
    (OUTPUT / "answer.json").symlink_to("/etc/passwd")


def hard_link() -> None:
    (OUTPUT / "one").write_text('{"total": 42}')
    (OUTPUT / "answer.json").hardlink_to(OUTPUT / "one")


def fifo() -> None:
    os.mkfifo(OUTPUT / "answer.json")


def huge() -> None:
    with (OUTPUT / "answer.json").open("wb") as file:
        file.truncate(65 * 2**20)


def endless_file() -> None:
    with (OUTPUT / "answer.json").open("wb") as file:
        file.truncate(2 * 2**30)


def no_output() -> None:
    for path in OUTPUT.iterdir():
        path.unlink()
    OUTPUT.rmdir()
    OUTPUT.symlink_to("/etc")


def rate_limited() -> None:
    sys.exit("API Error: 429 rate_limit_error: Number of requests has exceeded your per-minute limit")


def logged_out() -> None:
    sys.exit("Invalid API key · Please run /login")


def broken() -> None:
    raise KeyError("a mistake of its author")


def killed() -> None:
    answer()
    os.kill(os.getpid(), signal.SIGKILL)


def tell_environment() -> None:
    print(json.dumps(dict(os.environ)))
    answer()


def kill_guard(name: str) -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    forever()


def read_only() -> None:
    answer()
    OUTPUT.chmod(0o555)


def broken_characters() -> None:
    answer()
    broken = "合計 \ud83d \0"
    call = {"type": "tool_use", "id": "1", "name": broken, "input": {broken: [broken]}}
    say({"type": "assistant", "message": {"content": [{"type": "text", "text": broken}, call]}})
    for depth in (700, 1900, 100_000):
        print(
            '{"type": "assistant", "message": {"content": [{"type": "tool_use", "input":',
            "[" * depth + "]" * depth + "}]}}",
        )
    sys.stdout.flush()
    sys.stdout.buffer.write(b"\xff\x00 half\n")


def read_stdin() -> None:
    answer(total=sys.stdin.read() == "")


def connect(port: str) -> None:
    try:
        socket.create_connection(("127.0.0.1", int(port)), timeout=5).close()
        answer(reached=True)
    except OSError:
        answer(reached=False)


def review() -> None:
    (OUTPUT / "findings.jsonl").write_text('{"path": "total", "kind": "doubt", "reason": "合計が違う"}\n')


def bad_review() -> None:
    (OUTPUT / "findings.jsonl").write_text("Everything is fine!\n")


def say(*events: object) -> None:
    for event in events:
        print(json.dumps(event), flush=True)


def claude(*options: str) -> None:
    """Claude Code's events: each part of a message is a line of its own, with the usage of the whole message."""
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 90,
        "cache_read_input_tokens": 5000,
        "output_tokens": 20,
    }
    answer()
    text = {"type": "text", "text": "I look."}
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "input/sources/chunks.jsonl"}}
    done = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "p1-b1 …"}]}
    say(
        {"type": "system", "subtype": "init", "model": "claude-test", "session_id": "1"},
        {"type": "assistant", "message": {"id": "m1", "usage": usage, "content": [text]}},
        {"type": "assistant", "message": {"id": "m1", "usage": usage, "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [done]}},
        {"type": "assistant", "message": {"id": "m2", "usage": usage, "content": [{"type": "text", "text": "Done."}]}},
        {
            "type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "Done.",
            "total_cost_usd": 0.25, "usage": {**usage, "input_tokens": 20, "cache_creation_input_tokens": 180,
            "output_tokens": 40},
        },
    )  # fmt: skip


def claude_limited() -> None:
    """As Claude Code does: success, exit code 0, and the error in the text."""
    text = "API Error: 529 Overloaded"
    say({"type": "result", "subtype": "success", "is_error": True, "num_turns": 1, "result": text, "total_cost_usd": 0})


def claude_endless() -> None:
    for number in range(1_000_000):
        usage = {"input_tokens": 1000, "output_tokens": 10}
        say({"type": "assistant", "message": {"id": f"m{number}", "usage": usage, "content": []}})


def codex(*options: str) -> None:
    answer()
    item = {
        "id": "1",
        "type": "command_execution",
        "command": "cat input/task.md",
        "exit_code": 0,
        "status": "completed",
    }
    usage = {"input_tokens": 24763, "cached_input_tokens": 24448, "output_tokens": 122}
    say(
        {"type": "thread.started", "thread_id": "1"},
        {"type": "turn.started"},
        {"type": "error", "message": "Reconnecting... 1/5 (stream disconnected before completion)"},
        {"type": "item.started", "item": item},
        {"type": "item.completed", "item": item},
        {"type": "item.completed", "item": {"id": "2", "type": "agent_message", "text": "Done."}},
        {"type": "item.completed", "item": {"id": "3", "type": "a new kind"}},
        {"type": "turn.completed", "usage": usage},
    )


def codex_failed() -> None:
    say({"type": "turn.failed", "error": {"message": "stream disconnected before completion"}})
    sys.exit(1)


def grandchildren(name: str) -> None:
    """Children in sessions of their own, while it goes on itself."""
    for _ in range(3):
        subprocess.Popen([sys.executable, __file__, "sleep", name], start_new_session=True)
    forever()


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](*sys.argv[2:])
