"""The patterns and special tokens of published rank files, which tiktoken's format lacks.

They are taken from the code that each file was published with; for GLM-4 that is
``tokenization_chatglm.py``.

>>> PRESETS["llama3.1"].special["<|eom_id|>"], PRESETS["qwen"].normaliser
(128008, 'NFC')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segmenter.subword import patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Preset(NamedTuple):
    """The data that a rank file lacks.

    Attributes:
        patterns: patterns that split a text, applied one after another.
        special: special tokens and their ids.
        digest: SHA-256 of the published file; "" if unknown.
        normaliser: the Unicode normalisation form to apply beforehand, or "".
    """

    patterns: tuple[str, ...]
    special: Mapping[str, int]
    digest: str = ""
    normaliser: str = ""


def _numbered(first: int, tokens: Iterable[str]) -> dict[str, int]:
    return {token: first + i for i, token in enumerate(tokens)}


def _reserved(count: int, first: int = 0, name: str = "") -> list[str]:
    return [f"<|{name}reserved_special_token_{i}|>" for i in range(first, first + count)]


_END = "<|endoftext|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_R50K = "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
_P50K = "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"
_O200K = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_LLAMA = "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"
_HARMONY = {
    "<|startoftext|>": 199998, _END: 199999, "<|return|>": 200002, "<|constrain|>": 200003,
    "<|channel|>": 200005, "<|start|>": 200006, "<|end|>": 200007, "<|message|>": 200008,
    "<|call|>": 200012, "<|endofprompt|>": 200018,
}  # fmt: skip
_LLAMA3 = (
    "<|begin_of_text|>", "<|end_of_text|>", *_reserved(4), "<|start_header_id|>",
    "<|end_header_id|>", *_reserved(1, 4), "<|eot_id|>", *_reserved(246, 5),
)  # fmt: skip
_LLAMA31 = (
    "<|begin_of_text|>", "<|end_of_text|>", *_reserved(2), "<|finetune_right_pad_id|>",
    "<|step_id|>", "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>",
    "<|python_tag|>", "<|image|>", *_reserved(244, 2),
)  # fmt: skip
_LLAMA4 = (
    "<|begin_of_text|>", "<|end_of_text|>", *_FIM[:1], *_FIM[1:],
    "<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>",
    *_reserved(6, 0, "text_post_train_"), "<|python_start|>", "<|python_end|>",
    "<|finetune_right_pad|>", *_reserved(61, 8, "text_post_train_"),
    "<|image_start|>", "<|image_end|>", *_reserved(2, 0, "vision_"), "<|tile_x_separator|>",
    "<|tile_y_separator|>", *_reserved(4, 2, "vision_"), "<|image|>", *_reserved(1, 6, "vision_"),
    "<|patch|>", *_reserved(1041, 7, "vision_"), *_reserved(8, 0, "reasoning_"),
    "<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>",
)  # fmt: skip
_QWEN = (_END, "<|im_start|>", "<|im_end|>")
_QWEN35 = (
    *_QWEN, "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>",
    "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>", "<tool_call>", "</tool_call>", *_FIM, "<|fim_pad|>",
    "<|repo_name|>", "<|file_sep|>", "<tool_response>", "</tool_response>", "<think>", "</think>",
    "<|audio_start|>", "<|audio_end|>", "<tts_pad>", "<tts_text_bos>", "<tts_text_eod>",
    "<tts_text_bos_single>", "<|audio_pad|>",
)  # fmt: skip
_GLM4 = (
    _END, "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>",
    "<|assistant|>", "<|observation|>", "<|begin_of_image|>", "<|end_of_image|>",
    "<|begin_of_video|>", "<|end_of_video|>",
)  # fmt: skip
_LANGUAGES = (
    "en", "zh", "de", "es", "ru", "ko", "fr", "ja", "pt", "tr", "pl", "ca", "nl", "ar", "sv",
    "it", "id", "hi", "fi", "vi", "he", "uk", "el", "ms", "cs", "ro", "da", "hu", "ta", "no",
    "th", "ur", "hr", "bg", "lt", "la", "mi", "ml", "cy", "sk", "te", "fa", "lv", "bn", "sr",
    "az", "sl", "kn", "et", "mk", "br", "eu", "is", "hy", "ne", "mn", "bs", "kk", "sq", "sw",
    "gl", "mr", "pa", "si", "km", "sn", "yo", "so", "af", "oc", "ka", "be", "tg", "sd", "gu",
    "am", "yi", "lo", "uz", "fo", "ht", "ps", "tk", "nn", "mt", "sa", "lb", "my", "bo", "tl",
    "mg", "as", "tt", "haw", "ln", "ha", "ba", "jw", "su", "yue",
)  # fmt: skip


def _whisper(first: int, languages: int = 99) -> dict[str, int]:
    return _numbered(
        first,
        (
            _END,
            "<|startoftranscript|>",
            *(f"<|{code}|>" for code in _LANGUAGES[:languages]),
            "<|translate|>",
            "<|transcribe|>",
            "<|startoflm|>",
            "<|startofprev|>",
            "<|nospeech|>",
            "<|notimestamps|>",
            *(f"<|{i * 0.02:.2f}|>" for i in range(1501)),
        ),
    )


#: The presets of :func:`.tiktoken.load` by name.  Those with a digest are also recognised by their
#: file (the first, if several share it).
PRESETS: Mapping[str, Preset] = {
    "r50k_base": Preset((patterns.R50K,), {_END: 50256}, _R50K),
    "p50k_base": Preset((patterns.R50K,), {_END: 50256}, _P50K),
    "p50k_edit": Preset((patterns.R50K,), {_END: 50256, **_numbered(50281, _FIM)}, _P50K),
    "cl100k_base": Preset(
        (patterns.CL100K,),
        {**_numbered(100257, (_END, *_FIM)), "<|endofprompt|>": 100276},
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": Preset((patterns.O200K,), {_END: 199999, "<|endofprompt|>": 200018}, _O200K),
    "o200k_harmony": Preset(
        (patterns.O200K,),
        {
            **_HARMONY,
            **{
                f"<|reserved_{i}|>": i
                for i in range(200000, 201088)
                if i == 200018 or i not in _HARMONY.values()
            },
        },
        _O200K,
    ),
    "qwen": Preset(
        (patterns.QWEN,),
        _numbered(151643, (*_QWEN, *(f"<|extra_{i}|>" for i in range(205)))),
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
        "NFC",
    ),
    "qwen3.5": Preset(
        (patterns.QWEN35,),
        _numbered(248044, _QWEN35),
        "8dde380a6405e935f5de16a99eb61c824f3f814dd1ed298784c72babb7a03cdd",
        "NFC",
    ),
    "deepseek-v3": Preset(patterns.DEEPSEEK3, {}),
    "llama3": Preset((patterns.LLAMA3,), _numbered(128000, _LLAMA3), _LLAMA),
    "llama3.1": Preset((patterns.LLAMA3,), _numbered(128000, _LLAMA31), _LLAMA),
    "llama4": Preset(
        (patterns.O200K,),
        _numbered(200000, (*_LLAMA4, *_reserved(2048 - len(_LLAMA4)))),
        "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
    ),
    "glm4": Preset((patterns.LLAMA3,), _numbered(151329, _GLM4)),
    "whisper": Preset(
        (patterns.GPT2,),
        _whisper(50257),
        "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126",
    ),
    "whisper-v3": Preset((patterns.GPT2,), _whisper(50257, 100)),
    "whisper.en": Preset((patterns.GPT2,), _whisper(50256)),
}  # fmt: skip
