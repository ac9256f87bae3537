"""Names in the plural that ask for the rows of a table: `items`, `quantities`."""

from __future__ import annotations

from typing import Literal

from quire.evidence.extract.naming.labels import label_words
from quire.evidence.extract.schema import LeafSpec

ItemColumn = Literal["description", "quantity", "unit_price", "amount"]
_NAMES: dict[ItemColumn, str] = {
    "description": "items|line items|invoice items|order items|lines|invoice lines|order lines|positions|products|"
    "articles|goods|services|descriptions|positionen|rechnungspositionen|artikel|posten|leistungen|lignes|produits|"
    "prestations|artikelen|producten|regels|factuurregels|articoli|voci|righe|prodotti|articulos|productos|lineas|"
    "partidas|conceptos|artigos|produtos|linhas",
    "quantity": "quantities|mengen|quantites|hoeveelheden|aantallen|cantidades|quantidades",
    "unit_price": "unit prices|prices|preise|einzelpreise|prix unitaires|prijzen|prezzi|precios|precos",
    "amount": "amounts|line totals|line amounts|betrage|montants|bedragen|importi|importes|valores",
}
_COLUMNS = {label_words(name): column for column, names in _NAMES.items() for name in names.split("|")}


def rows_asked(leaf: LeafSpec) -> ItemColumn | None:
    """The column of items whose values a leaf asks for; None where it asks for one value. A number called `items` is
    how many there are."""
    if leaf.several is False or "[]" in leaf.path or leaf.enum:
        return None
    names = (name.replace("_", " ") for name in (leaf.name, leaf.title) if name)
    column = next((found for name in names if (found := _COLUMNS.get(label_words(name)))), None)
    return None if column == "description" and leaf.type != "string" else column
