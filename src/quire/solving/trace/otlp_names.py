"""The names of OpenTelemetry's conventions for generative AI, in one place: they are still changing."""

from __future__ import annotations

OPERATION = "gen_ai.operation.name"
INVOKE_AGENT, CHAT, EXECUTE_TOOL = "invoke_agent", "chat", "execute_tool"
AGENT = "gen_ai.agent.name"
MODEL = "gen_ai.request.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
TOOL = "gen_ai.tool.name"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"
ERROR = "error.type"


def message(role: str, text: str) -> list[dict[str, object]]:
    """One message, in the form of the attributes for messages."""
    return [{"role": role, "parts": [{"type": "text", "content": text}]}]
