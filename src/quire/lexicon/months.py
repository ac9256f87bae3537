"""The names of the months in many languages: folded, without accents."""

from __future__ import annotations


def _numbered(listed: tuple[str, ...]) -> dict[str, int]:
    return {name: number for number, names in enumerate(listed, 1) for name in names.split()}


COMMON_MONTHS = _numbered(
    (
        "january jan januar janvier enero gennaio janeiro",
        "february feb februar fevrier febrero febbraio fevereiro",
        "march mar marz mars marzo marco",
        "april apr avril abril aprile",
        "may mai mayo maggio maio",
        "june jun juni juin junio giugno junho",
        "july jul juli juillet julio luglio julho",
        "august aug aout agosto",
        "september sep sept septembre septiembre settembre setembro",
        "october oct okt oktober octobre octubre ottobre outubro",
        "november nov novembre noviembre novembro",
        "december dec dez dezember decembre diciembre dicembre dezembro",
    )
)
"""English, German, French, Spanish, Italian, Portuguese: what the search index knows."""

MONTHS = COMMON_MONTHS | _numbered(
    (
        "janner januari janv ene gen ianuarie stycznia styczen ledna leden januara januar tammikuu tammikuuta ocak "
        "januarie января январь янв ιανουαριου ιανουαριος січня",
        "feber februari fevr febr fev februarie lutego luty unora unor februara helmikuu helmikuuta subat "
        "февраля февраль фев φεβρουαριου φεβρουαριος лютого",
        "maerz mrz mrt mac maart mart martie marca marzec brezna brezen maaliskuu maaliskuuta "
        "марта март мар μαρτιου μαρτιος березня",
        "avr abr aprilie kwietnia kwiecien dubna duben aprila huhtikuu huhtikuuta nisan "
        "апреля апрель апр απριλιου απριλιος квітня",
        "mei maj maja mag kvetna kveten toukokuu toukokuuta mayis мая май μαιου μαιος травня",
        "giu iunie czerwca czerwiec cervna cerven juna kesakuu kesakuuta haziran июня июнь июн ιουνιου ιουνιος червня",
        "juil julai lug iulie lipca lipiec cervence cervenec jula heinakuu heinakuuta temmuz "
        "июля июль июл ιουλιου ιουλιος липня",
        "augustus augusti ago agosto ogos sierpnia sierpien srpna srpen augusta elokuu elokuuta agustos "
        "августа август авг αυγουστου αυγουστος серпня",
        "set septembrie wrzesnia wrzesien zari septembra syyskuu syyskuuta eylul "
        "сентября сентябрь сен сент σεπτεμβριου σεπτεμβριος вересня",
        "ott out octombrie pazdziernika pazdziernik rijna rijen oktobra lokakuu lokakuuta ekim "
        "октября октябрь окт οκτωβριου οκτωβριος жовтня",
        "listopada noiembrie listopad novembra marraskuu marraskuuta kasim "
        "ноября ноябрь ноя νοεμβριου νοεμβριος листопада",
        "dic dis disember decembrie grudnia grudzien prosince prosinec decembra joulukuu joulukuuta aralik "
        "декабря декабрь дек δεκεμβριου δεκεμβριος грудня",
    )
)
