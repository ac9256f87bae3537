"""Sentences, names and numbers of the golden pages. They never change: the truth is written from them."""

from __future__ import annotations

import random
from collections.abc import Sequence

ENGLISH = (
    "The harbour office keeps a ledger of every vessel that enters the bay.",
    "Each entry names the captain, the cargo and the hour of arrival.",
    "When the tide turns, the pilots walk down to the long stone pier.",
    "Nobody remembers who first painted the customs house yellow.",
    "A small museum on the second floor shows maps of the old channel.",
    "Repairs to the lighthouse were finished before the autumn storms.",
    "The council voted to widen the road between the market and the station.",
    "Fishing boats return before dawn and sell their catch by the steps.",
    "In 1987 the ferry carried 41,200 passengers, most of them in July.",
    "Measurements at the outer buoy differ from those at the quay by less than two per cent.",
    "The new crane lifts twelve tonnes, which is enough for all but the largest engines.",
    "Visitors who arrive by train can leave their luggage with the station master.",
    "Its walls were built from the ballast of ships that came back empty.",
    "Costs rose by 4.5 per cent, mainly because of higher prices for diesel and steel.",
    "The method was first described by an engineer of the river authority (see the appendix).",
    "We thank the crews of three pilot boats for their patience during the survey.",
    "A second sample was taken after the storm and kept at four degrees.",
    "These results suggest that the channel has moved to the north since the last dredging.",
    "Under normal conditions the gauge is read twice a day, at six and at eighteen hours.",
    "The archive holds letters, drawings and account books, few of which have been published.",
)
TITLES = (
    *("Harbour Traffic", "The Old Channel", "Tides and Currents", "Repairs in Autumn", "Letters from the Quay"),
    *("Pilots and Captains", "A Survey of the Bay", "Costs of Dredging", "The Customs House", "Winter Timetable"),
    *("Storage of Samples", "Safety at the Pier", "Methods", "Results and Discussion", "Further Work", "Background"),
    *("Engine Maintenance", "Data Collection", "Lighthouse Records", "Ferry Services", "Open Questions"),
)
NAMES = ("Ada Marlow", "Ole Lind", "Mia Strand", "Tom Falk", "Ida Holm", "Per Dahl", "Anna Berg", "Jon Eide")
COMPANIES = ("Grey Heron Ltd", "Northlight Ferries", "Port Aurora Chandlers", "Easthaven Tools", "Lantern Pantry")
STREETS = ("North Quay 4", "12 Harbour Street", "Station Road 31", "7 Mill Lane", "Customs Square 2")
TOWNS = ("Port Aurora PA4 2ND", "Easthaven EH1 9QR", "Westbay WB7 3TT", "Skerry SK2 8LL")
MONTHS = ("January", "March", "April", "June", "August", "September", "November")
GOODS = (
    "Rope, 20 m",
    "Lamp oil",
    "Tar",
    "Sail cloth",
    "Ship biscuits",
    "Black tea",
    "Candles",
    "Twine",
    "Copper nails",
)
PLACES = ("Easthaven", "Westbay", "Skerry", "Port Aurora", "Lindisness", "Grimsund", "Halvik", "Torsund", "Breivik")

LANGUAGES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "de": (
        ("Verkehr im Hafen", "Die alte Fahrrinne", "Kosten der Baggerarbeiten"),
        (
            "Das Hafenamt führt ein Buch über jedes Schiff, das in die Bucht einläuft.",
            "Jeder Eintrag nennt den Kapitän, die Ladung und die Stunde der Ankunft.",
            "Die Maßnahmen wurden größtenteils vor den Herbststürmen abgeschlossen.",
            "Übrigens weiß niemand mehr, wer das Zollhaus zuerst gelb gestrichen hat.",
        ),
    ),
    "fr": (
        ("Le trafic du port", "L'ancien chenal", "Résultats de l'année"),
        (
            "Le bureau du port tient un registre de tous les navires qui entrent dans la baie.",
            "Chaque ligne indique le capitaine, la cargaison et l'heure d'arrivée.",
            "Les réparations du phare étaient terminées avant les tempêtes d'automne.",
            "À marée basse, les pêcheurs vendent leurs prises près de l'escalier.",
        ),
    ),
    "es": (
        ("El tráfico del puerto", "El canal antiguo", "Costes del año"),
        (
            "La oficina del puerto lleva un registro de cada barco que entra en la bahía.",
            "Cada línea indica el capitán, la carga y la hora de llegada.",
            "Las obras del faro terminaron antes de las tormentas de otoño.",
            "Nadie recuerda quién pintó de amarillo la casa de aduanas.",
        ),
    ),
    "pl": (
        ("Ruch w porcie", "Stary kanał", "Koszty pogłębiania"),
        (
            "Kapitanat portu prowadzi księgę wszystkich statków, które wpływają do zatoki.",
            "Każdy wpis podaje nazwisko kapitana, ładunek i godzinę przybycia.",
            "Naprawę latarni morskiej ukończono przed jesiennymi sztormami.",
        ),
    ),
    "ru": (
        ("Движение в порту", "Старый фарватер", "Расходы за год"),
        (
            "Портовая контора ведёт книгу обо всех судах, которые входят в залив.",
            "В каждой записи указаны капитан, груз и час прибытия.",
            "Ремонт маяка закончили до осенних штормов.",
            "Никто не помнит, кто первым покрасил таможню в жёлтый цвет.",
        ),
    ),
    "el": (
        ("Η κίνηση στο λιμάνι", "Το παλιό κανάλι", "Τα έξοδα του έτους"),
        (
            "Το λιμεναρχείο κρατά βιβλίο για κάθε πλοίο που μπαίνει στον κόλπο.",
            "Κάθε εγγραφή αναφέρει τον πλοίαρχο, το φορτίο και την ώρα άφιξης.",
            "Οι επισκευές του φάρου τελείωσαν πριν από τις φθινοπωρινές καταιγίδες.",
        ),
    ),
    "ar": (
        ("حركة الميناء", "القناة القديمة", "تكاليف السنة"),
        (
            "يحتفظ مكتب الميناء بسجل لكل سفينة تدخل الخليج.",
            "يذكر كل سطر اسم القبطان والحمولة وساعة الوصول.",
            "انتهت أعمال ترميم المنارة قبل عواصف الخريف.",
        ),
    ),
    "he": (
        ("התנועה בנמל", "התעלה הישנה", "הוצאות השנה"),
        (
            "משרד הנמל מנהל יומן של כל ספינה הנכנסת למפרץ.",
            "כל רישום מציין את רב החובל, את המטען ואת שעת ההגעה.",
            "תיקון המגדלור הסתיים לפני סערות הסתיו.",
        ),
    ),
    "hi": (
        ("बंदरगाह का यातायात", "पुराना मार्ग", "वर्ष का खर्च"),
        (
            "बंदरगाह का कार्यालय खाड़ी में आने वाले हर जहाज का लेखा रखता है।",
            "हर पंक्ति में कप्तान का नाम, माल और आने का समय लिखा है।",
            "दीपस्तंभ की मरम्मत शरद के तूफानों से पहले पूरी हुई।",
        ),
    ),
}
CJK: dict[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "STSong-Light": (
        "zh",
        ("港口交通", "旧航道", "费用"),
        (
            "港务局为每一艘进入海湾的船只登记。",
            "每一条记录都写明船长、货物和到达的时间。",
            "灯塔的修理在秋季风暴之前完成。",
        ),
    ),
    "HeiseiMin-W3": (
        "ja",
        ("港の交通", "古い水路", "費用"),
        (
            "港の事務所は湾に入るすべての船を記録しています。",
            "各行には船長と積荷と到着時刻が書かれています。",
            "灯台の修理は秋の嵐の前に終わりました。",
        ),
    ),
    "HYSMyeongJo-Medium": (
        "ko",
        ("항구 교통", "옛 수로", "비용"),
        (
            "항만 사무소는 만에 들어오는 모든 배를 기록한다.",
            "각 줄에는 선장과 화물과 도착 시간이 적혀 있다.",
            "등대 수리는 가을 폭풍 전에 끝났다.",
        ),
    ),
}


def prose(chance: random.Random, least: int, most: int, sentences: Sequence[str] = ENGLISH) -> str:
    return " ".join(chance.choice(sentences) for _ in range(chance.randint(least, most)))


def amount(chance: random.Random, most: int = 90_000) -> str:
    return f"{chance.randint(100, most):,}"


def money(chance: random.Random) -> str:
    return f"{chance.randint(100, 99_999) / 100:,.2f}"


def day(chance: random.Random) -> str:
    return f"{chance.randint(1, 28)} {chance.choice(MONTHS)} {chance.randint(2019, 2026)}"
