"""The LaTeX commands for the signs of formulas, and the kinds of these signs."""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    """Pairs of a sign and the name of its command."""
    words = text.split()
    return dict(zip(words[0::2], words[1::2], strict=True))


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LETTERS = _table(
    """
    α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ
    rho σ sigma τ tau υ upsilon φ varphi χ chi ψ psi ω omega ϵ epsilon ϑ vartheta ϖ varpi ϱ varrho ς varsigma ϕ
    phi ϰ varkappa ϝ digamma Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
    """
)
_LETTERS |= {"\u00b5": "mu", "\u2126": "Omega", "\u2206": "Delta", "\u03d2": "Upsilon"}

_OPERATORS = _table(
    """
    ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⨁ bigoplus ⨂ bigotimes ⨀ bigodot ⋀
    bigwedge ⋁ bigvee ⨆ bigsqcup ⨄ biguplus
    """
)

_RELATIONS = _table(
    """
    ≤ leq ≥ geq ≠ neq ≡ equiv ∼ sim ≈ approx ≅ cong ≃ simeq ≍ asymp ∝ propto ≪ ll ≫ gg ≺ prec ≻ succ ⪯ preceq ⪰
    succeq ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊊ subsetneq ⊋ supsetneq ⊏ sqsubset ⊐ sqsupset ⊑ sqsubseteq ⊒
    sqsupseteq ∈ in ∋ ni ∉ notin ⊢ vdash ⊣ dashv ⊨ models ⊩ Vdash ⊥ perp ∥ parallel ∣ mid ≐ doteq ≜ triangleq →
    rightarrow ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ↦ mapsto ⟶ longrightarrow ⟵
    longleftarrow ⟷ longleftrightarrow ⟹ Longrightarrow ⟸ Longleftarrow ⟺ Longleftrightarrow ↪ hookrightarrow ↩
    hookleftarrow ↑ uparrow ↓ downarrow ↕ updownarrow ⇑ Uparrow ⇓ Downarrow ⇕ Updownarrow ↗ nearrow ↘ searrow ↙
    swarrow ↖ nwarrow ⇀ rightharpoonup ⇁ rightharpoondown ↼ leftharpoonup ↽ leftharpoondown ⇌ rightleftharpoons ⩽
    leqslant ⩾ geqslant ≲ lesssim ≳ gtrsim ≶ lessgtr ≷ gtrless ≼ preccurlyeq ≽ succcurlyeq ⊴ trianglelefteq ⊵
    trianglerighteq ⊲ vartriangleleft ⊳ vartriangleright ◁ triangleleft ▷ triangleright ≇ ncong ≉ napprox ≮ nless
    ≯ ngtr ≰ nleq ≱ ngeq ⊀ nprec ⊁ nsucc ⊬ nvdash ⊭ nvDash ↛ nrightarrow ⇏ nRightarrow ⇎ nLeftrightarrow ↠
    twoheadrightarrow ↣ rightarrowtail ⇝ rightsquigarrow ⊈ nsubseteq ⊉ nsupseteq ⊄ nsubset ∤ nmid ∦ nparallel ⋈ bowtie
    """
)

_BINARY = _table(
    """
    ± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∘ circ ◦ circ ⋆ star • bullet ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot
    ∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup ∧ wedge ∨ vee ∖ setminus ≀ wr ⋄ diamond † dagger ‡ ddagger ⊞ boxplus ⊟
    boxminus ⊠ boxtimes ⊡ boxdot ⋉ ltimes ⋊ rtimes
    """
)

_OTHERS = _table(
    """
    ∞ infty ∂ partial ∇ nabla ∀ forall ∃ exists ∄ nexists ¬ neg ∅ emptyset ℵ aleph ℶ beth ℜ Re ℑ Im ℘ wp ℓ ell ℏ
    hbar ħ hbar ı imath √ surd ⊤ top ∠ angle □ square △ triangle ▽ triangledown ♯ sharp ♭ flat ♮ natural ♠
    spadesuit ♡ heartsuit ♢ diamondsuit ♣ clubsuit ◯ bigcirc ∎ blacksquare ° degree … ldots ⋯ cdots ⋮ vdots ⋱
    ddots § S ¶ P ȷ jmath
    """
)

_BRACKETS = {
    "{": r"\{", "}": r"\}", "⟨": r"\langle", "⟩": r"\rangle", "\u3008": r"\langle", "\u3009": r"\rangle",
    "\u2329": r"\langle", "\u232a": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil",
    "‖": r"\|", "∥": r"\|", "⟦": r"\llbracket", "⟧": r"\rrbracket",
}  # fmt: skip

_PLAIN = {"−": "-", "∶": ":", "⁄": "/", "′": "'", "″": "''", "‴": "'''", "’": "'", "–": "-", "‐": "-"}
_ESCAPED = {
    "%": r"\%",
    "#": r"\#",
    "&": r"\&",
    "_": r"\_",
    "$": r"\$",
    "\\": r"\setminus",
    "~": r"\sim",
    "^": r"\wedge",
}

COMMANDS: dict[str, str] = {
    **{
        sign: f"\\{name}"
        for table in (_LETTERS, _OPERATORS, _RELATIONS, _BINARY, _OTHERS)
        for sign, name in table.items()
    },
    "∗": "*",
    **_BRACKETS,
    **_PLAIN,
    **_ESCAPED,
}
"""What LaTeX writes for a character; letters, digits and other ASCII signs stand for themselves."""

LARGE = {"⊕": "⨁", "⊗": "⨂", "⊙": "⨀", "⊎": "⨄", "⊔": "⨆"}
"""Signs that are operators with limits in a font of large symbols."""

OPERATORS = frozenset(_OPERATORS)
INTEGRALS = frozenset("∫∬∭∮")
RELATIONS = frozenset(_RELATIONS) | frozenset("=<>:")
BINARY = (frozenset(_BINARY) | frozenset("+−-/")) - frozenset("•†‡⋆∗")
OPENING, CLOSING = frozenset("([{⟨⌊⌈⟦\u2329\u3008"), frozenset(")]}⟩⌋⌉⟧\u232a\u3009")
DELIMITERS = OPENING | CLOSING | frozenset("|‖∥")

PIECES = {
    **dict.fromkeys("⎛⎜⎝", "("), **dict.fromkeys("⎞⎟⎠", ")"), **dict.fromkeys("⎡⎢⎣", "["), **dict.fromkeys("⎤⎥⎦", "]"),
    **dict.fromkeys("⎧⎨⎩", "{"), **dict.fromkeys("⎫⎬⎭", "}"), "⎪": "", "⏐": "|",
}  # fmt: skip
"""The parts that a large bracket is built from, and the bracket."""

ACCENTS = {
    "ˆ": "hat", "^": "hat", "\u0302": "hat", "˜": "tilde", "~": "tilde", "∼": "tilde", "\u0303": "tilde",
    "¯": "bar", "\u0304": "bar", "\u0305": "bar", "˙": "dot", "\u0307": "dot", "¨": "ddot", "\u0308": "ddot",
    "´": "acute", "\u0301": "acute", "`": "grave", "\u0300": "grave", "˘": "breve", "\u0306": "breve",
    "ˇ": "check", "\u030c": "check", "⃗": "vec", "˚": "mathring", "\u030a": "mathring",
    "⇀": "vec", "︿": "widehat", "﹋": "widetilde",
}  # fmt: skip
SURE_ACCENTS = frozenset(ACCENTS) - frozenset("^~∼`⇀")
"""Signs that are accents wherever they stand; the others only directly above a letter."""

WIDE_ACCENTS = frozenset("︿﹋")
"""Accents over several letters; no file writes these signs, they name what the font of large symbols draws."""

BRACES = {"╭": "z", "╮": r"\{", "╰": "|", "╯": r"\}", "╌": ""}
"""The ends of the two halves of a horizontal brace and what is between them, named by these signs as well, and what is
written where a part of the brace is missing."""

FUNCTIONS = names(
    """
    Pr arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log
    max min sec sin sinh sup tan tanh
    """
)
WITH_LIMITS = names("Pr argmax argmin det gcd inf lim liminf limsup max min sup")

GREEK = frozenset(_LETTERS)
