"""Texts of parties to an order or a contract: headings such as "Bill to", postal addresses, and signatures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.core.lazy_patterns import lazy_pattern
from quire.pages.layout.labels import is_label, is_numeric

HEADING = 40  # characters
PLACES = 2  # a text with more lines that name a town is a column of towns
LINES = 2  # of contacts, or of labels with values

_ADDRESSEES = lazy_pattern(
    r"(?:bill(?:ed|ing)?|ship(?:ped|ping)?|sold|invoiced?|deliver(?:ed|y)?|remit(?:tance)?|mail|charge|return|send)"
    r"(?: (?:payment|invoice|goods))?(?: (?:to|from|address|information|info|details))"
    r"|(?:rechnungs|liefer(?:ungs)?|versand|post)(?:adresse|anschrift|empfänger)|(?:rechnung|lieferung) an"
    r"|adresse (?:de |du )?(?:facturation|livraison|client|expédition)|factur[ée]e? [àa]|livr[ée]e? [àa]|livraison [àa]"
    r"|(?:facturar|enviar|entregar|cobrar) a|dirección (?:de |fiscal)?(?:facturación|envío|entrega)?"
    r"|fatturare a|spedire a|indirizzo di (?:fatturazione|spedizione|consegna)|luogo di consegna"
    r"|(?:factuur|aflever|bezorg|verzend|lever)adres|(?:faktura|fakturerings|leverans|leverings?)adress?e?"
    r"|laskutusosoite|toimitusosoite|adres (?:do faktury|dostawy|wysyłki)|fakturační adresa|dodací adresa"
    r"|endereço de (?:cobrança|entrega|fatura[çm]ã?o?|faturação)|faturar a|請求先|お届け先|納品先|账单地址|收货地址",
    re.IGNORECASE,
)
_PARTIES = lazy_pattern(
    r"(?:the )?(?:from|to|seller|buyer|vendor|supplier|customer|client|contractor|provider|service provider|recipient"
    r"|sender|consignee|consignor|shipper|exporter|importer|notify party|payer|payee|landlord|tenant|lessor|lessee"
    r"|employer|employee|licensor|licensee|lender|borrower|guarantor|purchaser|party [ab12]|issuer|carrier)"
    r"|verkäufer(?:in)?|käufer(?:in)?|auftraggeber(?:in)?|auftragnehmer(?:in)?|absender|empfänger|kunde|lieferant|besteller"
    r"|vermieter(?:in)?|mieter(?:in)?|vendeur|acheteur|fournisseur|expéditeur|destinataire|prestataire|émetteur"
    r"|vendedor|comprador|proveedor|cliente|remitente|destinatario|venditore|acquirente|fornitore|mittente"
    r"|verkoper|koper|leverancier|klant|afzender|geadresseerde|sprzedawca|nabywca|odbiorca|dostawca|dodavatel|odběratel"
    r"|säljare|köpare|kund|leverantör|kunden|sælger|køber|fornecedor|destinatário|卖方|买方|甲方|乙方|売主|買主",
    re.IGNORECASE,
)
_TOWN = lazy_pattern(
    r"\b[A-Z]{2},?\s+\d{5}(?:-\d{4})?\b"  # Springfield, IL 62701
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}\b|\b[A-Z]\d[A-Z]\s?\d[A-Z]\d\b"  # United Kingdom, Canada
    r"|^(?:[A-Z]{1,3}[- ])?(?:\d{4,6}|\d{3} \d{2}|\d{2}-\d{3}|\d{4}-\d{3})(?: ?[A-Z]{2})?,?\s+[^\W\d_]{3,}"
    r"|[^\W\d_]{3,},?\s(?:[A-Z]{2,3}\s)?(?:-\s?)?(?:\d{5,6}|\d{3}[- ]\d{3,4}|\d{5}-\d{3})$"  # Tokyo 100-0005
)
_STREET = lazy_pattern(
    r"^(?:no\.?\s)?\d{1,5}(?:[-/]\d{1,4})?\s?[a-z]?,?\s+[^\W\d_]{3,}(?!.*\b(?:19|20)\d\d\b)"  # 1 High Street
    r"|^(?!.*:)[^\W\d_].*[^\W\d_.]\.?\s(?:no\.?\s)?\d{1,4}\s?[a-z]?(?:[-/]\d{1,4}[a-z]?)?(?:,.*)?$"  # Hauptstr. 2
    r"|\bp\.?\s?o\.? ?box\b|\bpostfach\b|\bpostbus\b|\b(?:suite|street|avenue|boulevard|road)\b",
    re.IGNORECASE,
)
_CONTACT = lazy_pattern(
    r"^(?:tel|fax|phone|telephone|telefon|telefax|téléphone|tél|teléfono|telefono|telefoon|mobile?|cell|e-?mail|web|www)"
    r"\b|\S@\S+\.\w|\bwww\.|^\+?[\d()][\d\s()/.-]{7,}$",
    re.IGNORECASE,
)
_ACCOUNT = lazy_pattern(
    r"^(?:iban|bic|swift|konto|kto|blz|account|sort code)\b|\b[A-Z]{2}\d{2}(?: ?\d{4}){3,}", re.IGNORECASE
)
_SIGNED = lazy_pattern(
    r"by|per|name|title|its|signed|(?:authori[sz]ed )?signature|(?:print(?:ed)?|full) name|date|place"
    r"|datum|ort|unterschrift|titel|funktion|nom|titre|fonction|lieu|nombre|cargo|firma|fecha|nome|ruolo|data|naam|functie|handtekening",
    re.IGNORECASE,
)
_BLANK = lazy_pattern(r"[_.…‥ ]{6,}\Z")


def names_addressee(text: str) -> bool:
    """Whether a line says that an address for bills or goods follows."""
    return len(text) <= HEADING and _ADDRESSEES.fullmatch(text.strip(" :")) is not None


def names_party(text: str) -> bool:
    """Whether a line names a party to an order or a contract, or the kind of an address."""
    return names_addressee(text) or (len(text) <= HEADING and _PARTIES.fullmatch(text.strip(" :")) is not None)


def is_blank(text: str) -> bool:
    """Whether a line is only the rule to sign on."""
    return _BLANK.match(text) is not None


def label_of(text: str) -> str:
    """The label with which a line begins, up to its colon; empty if it has none."""
    label, colon, _ = text.replace("：", ":").partition(":")
    return label.strip() if colon and is_label(label) else ""


def is_signed(label: str) -> bool:
    """Whether a label is one of those under contracts: who signs, when and where."""
    return _SIGNED.fullmatch(label) is not None


def has_place(texts: Sequence[str]) -> bool:
    """Whether a text has a line with a street or a town."""
    return any(_is_town(text) or _is_street(text) for text in texts)


def is_address(texts: Sequence[str]) -> bool:
    """Whether the lines of a text are a postal address: a name, a street or a contact, and a town."""
    towns = [number for number, text in enumerate(texts) if _is_town(text)]
    if not 0 < len(towns) <= PLACES or 2 * len(towns) > len(texts) or towns[0] == 0:
        return False
    if label_of(texts[0]) and not names_party(texts[0]):
        return False
    others = [text for text in texts if not _is_town(text)]
    labelled = [text for text in others if label_of(text) and not _CONTACT.search(text)]
    return 2 * len(labelled) < len(texts) and any(_is_street(text) or _CONTACT.search(text) for text in others)


def are_contacts(texts: Sequence[str]) -> bool:
    """Whether several lines of a text are telephone numbers, mail addresses or accounts."""
    return sum(1 for text in texts if _CONTACT.search(text) or _ACCOUNT.search(text)) >= LINES


def are_labelled(texts: Sequence[str]) -> bool:
    """Whether most lines of a text are labels with values."""
    labelled = sum(1 for text in texts if label_of(text))
    return labelled >= LINES and 2 * labelled > len(texts)


def are_numbers(texts: Sequence[str]) -> bool:
    """Whether half of the lines of a text, or more, are only a number."""
    return 2 * sum(map(is_numeric, texts)) >= len(texts)


def _is_town(text: str) -> bool:
    return not label_of(text) and _TOWN.search(text) is not None


def _is_street(text: str) -> bool:
    return not label_of(text) and not is_numeric(text) and _STREET.search(text) is not None
