"""Pages that Chromium prints are read as they were written, in every script for which this machine has a font."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

import quire
from tests.servers import chromium

pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("browser")]

TEXTS = {
    "ar": "لما كان الاعتراف بالكرامة المتأصلة في جميع أعضاء الأسرة البشرية وبحقوقهم المتساوية",
    "bn": "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে",
    "el": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα",
    "en": "All human beings are born free and equal in dignity and rights",
    "he": "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם",
    "hi": "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है",
    "hy": "Բոլոր մարդիկ ծնվում են ազատ ու հավասար իրենց արժանապատվությամբ ու իրավունքներով",
    "ka": "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით",
    "km": "មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាព",
    "lo": "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ",
    "my": "လူတိုင်းသည်တူညီလွတ်လပ်သောဂုဏ်သိက္ခာဖြင့်မွေးဖွားလာသူများဖြစ်သည်",
    "ru": "Все люди рождаются свободными и равными в своем достоинстве и правах",
    "si": "සියලු මනුෂ්‍යයෝ නිදහස්ව උපත ලබා ඇත",
    "ta": "மனிதப் பிறிவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்",
    "te": "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు",
    "th": "มนุษย์ทั้งปวงเกิดมามีอิสระและเสมอภาคกัน",
    "tr": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar",
    "ur": "تمام انسان آزاد اور حقوق و عزت کے اعتبار سے برابر پیدا ہوئے ہیں",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium.browsing() as running:
        yield running


def has_font(language: str) -> bool:
    listing = shutil.which("fc-list")
    found = listing and subprocess.run([listing, f":lang={language}", "file"], capture_output=True, check=True).stdout
    return bool(found)


@pytest.mark.parametrize("language", TEXTS)
def test_a_printed_page_is_read_as_it_was_written(browser: Browser, language: str):
    if not has_font(language):
        pytest.skip(f"no font for {language} is installed")
    text = TEXTS[language]
    direction = "rtl" if language in ("ar", "he", "ur") else "ltr"
    page = browser.new_page()
    page.set_content(f'<html lang="{language}" dir="{direction}"><h1>{text[:20]}</h1><p>{text}</p></html>')
    printed = page.pdf()
    page.close()
    result = quire.read(printed)
    assert not result.path  # no engine was asked
    assert letters(text[:20] + text) == letters(result.to_text())


def letters(text: str) -> str:
    """Without spaces and the joiners that are seen in no glyph."""
    return "".join(character for character in text if not character.isspace() and character not in "\u200b\u200c\u200d")
