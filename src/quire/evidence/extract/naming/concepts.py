"""What a field of a document can mean, and how it is called on the page in several languages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from quire.evidence.extract.schema import ValueKind


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that many documents say. `names` are how schemas call it, `labels` how pages do, each with a weight.

    `related` are concepts whose labels also name it where its own are missing, with how much they count. `document`
    is the word for the kind of document that it belongs to: an invoice number is the number of an invoice.
    """

    id: str
    kind: ValueKind
    names: tuple[str, ...]
    labels: Mapping[str, float]
    related: Mapping[str, float] = field(default_factory=dict)
    document: str = ""


@cache
def _languages() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """The usual labels of invoices by language, and by concept: one file for each official language of the EU."""
    folder = files("quire.evidence.extract.naming").joinpath("languages")
    named = sorted((one.name.removesuffix(".json"), one) for one in folder.iterdir() if one.name.endswith(".json"))
    return {name: json.loads(one.read_text("utf-8")) for name, one in named}


def _concept(
    id_: str,
    kind: ValueKind,
    names: str,
    labels: Sequence[str] | Mapping[str, float],
    *,
    related: Mapping[str, float] | None = None,
    document: str = "",
) -> Concept:
    """Names and labels are listed with `|`; a mapping of such lists gives weights other than 1."""
    listed = labels if isinstance(labels, Mapping) else dict.fromkeys(labels, 1.0)
    weights = {one: 1.0 for language in _languages().values() for one in language.get(id_, ())}
    weights |= {one.strip(): weight for texts, weight in listed.items() for one in texts.split("|")}
    return Concept(id_, kind, tuple(n.strip() for n in names.split("|")), weights, related or {}, document)


CONCEPTS: tuple[Concept, ...] = (
    _concept(
        "invoice_number",
        "code",
        "invoice number|invoice id|invoice|bill number|invoice num|document number|rechnungsnummer|receipt number",
        {
            "invoice number|invoice id|tax invoice number|invoice reference|inv number|rechnungsnummer|"
            "rechnungs nummer|"
            "rechnung number|rechnungsnr|rechnungs nr|facture number|numero de facture|reference facture|facturenummer|"
            "factuurnummer|factuur number|fattura number|numero fattura|factura number|numero de factura|"
            "fatura number|numero da fatura|fakturanummer|belegnummer|belegnr|faktura number": 1.0,
            "invoice|facture|rechnung|factuur|fattura|factura|fatura": 0.75,
            "bill number|receipt number|document number|doc number|rcpt number|slip number|"
            "cash bill number|ticket number|"
            "transaction number|trans number|quittung number|beleg number|credit note number|check number": 0.85,
            "number": 0.45,
        },
        related={"document_number": 0.7},
        document="invoice",
    ),
    _concept(
        "order_number",
        "code",
        "order number|order id|order|purchase order|po number|po|sales order",
        {
            "order number|order id|order rev|order revision|purchase order|purchase order number|po number|p o number|"
            "sales order number|auftragsnummer|auftragsnr|auftrag number|bestellnummer|bestellnr|bestellung number|"
            "numero de commande|commande number|ordernummer|bestelnummer|numero ordine|ordine number|numero de pedido|"
            "pedido number|numero do pedido|encomenda number|ihre bestellung": 1.0,
            "order|commande|auftrag|bestellung|pedido|ordine|encomenda|bestelling|vs ordine|bon de commande": 0.75,
            "alt order number|customer order number|agency order number": 0.6,
        },
        document="order",
    ),
    _concept(
        "contract_number",
        "code",
        "contract number|contract id|contract num|contract|agreement number|policy number",
        {
            "contract number|contract id|contract revision|contract rev|agreement number|policy number|vertragsnummer|"
            "vertragsnr|vertrag number|numero de contrat|contrat number|contractnummer|contract nummer|"
            "numero contratto|"
            "contratto number|numero de contrato|contrato number": 1.0,
            "contract|vertrag|contrat|contratto|contrato": 0.8,
        },
        related={"order_number": 0.72, "invoice_number": 0.72},
        document="contract",
    ),
    _concept(
        "customer_number",
        "code",
        "customer number|customer id|client number|client id|account number|member number",
        [
            "customer number|customer id|client number|client id|id client|kundennummer|kundennr|kunden nr|"
            "numero client|klantnummer|numero cliente|codice cliente|numero de cliente|customer code|account number|"
            "account|account id|acct number|member number|member id|debitor|subscriber number"
        ],
    ),
    _concept(
        "reference",
        "code",
        "reference|reference number|ref|your reference",
        [
            "reference|reference number|ref|ref number|our reference|your reference|our ref|your ref|referenz|"
            "unser zeichen|ihr zeichen|referencia|riferimento|referentie|kenmerk|payment reference|verwendungszweck|"
            "remittance reference"
        ],
    ),
    _concept(
        "document_number",
        "code",
        "receipt no|bill no|document no",
        [
            "receipt number|bill number|document number|doc number|slip number|quittungsnummer|"
            "bon number|ticket number|"
            "numero|number"
        ],
    ),
    _concept(
        "date",
        "date",
        "date|invoice date|document date|issue date|date of issue|bill date|receipt date|transaction date|datum",
        {
            "date|invoice date|date of invoice|date of issue|issue date|issued|issued on|bill date|receipt date|dated|"
            "tax invoice date|document date|doc date|transaction date|purchase date|datum|rechnungsdatum|belegdatum|"
            "ausstellungsdatum|date de facture|date de la facture|date facture|date d emission|emise le|factuurdatum|"
            "data fattura|data|data di emissione|fecha|fecha de factura|fecha de emision|data da fatura|"
            "data de emissao|fakturadato|fakturadatum|inv date|bill dt|biz date|bizdate|date time|tarikh|date issued|"
            "sales date": 1.0,
            "facture|rechnung vom|facture du|statement date": 0.8,
        },
        related={"order_date": 0.6, "print_date": 0.5, "time": 0.4},
    ),
    _concept(
        "effective_date",
        "date",
        "effective date|commencement date|date of agreement|agreement date|contract date",
        [
            "effective date|commencement date|date of agreement|agreement date|contract date|valid from|in force from|"
            "in kraft ab|vertragsbeginn|date d effet|date d entree en vigueur|ingangsdatum|data di decorrenza|"
            "fecha de entrada en vigor|data de inicio"
        ],
        related={"date": 0.9, "period_from": 0.8},
    ),
    _concept(
        "due_date",
        "date",
        "due date|payment due|due|payable by|date due|maturity date",
        [
            "due date|date due|payment due|payment due date|due|due on|due by|payable by|pay by|faellig|fallig|"
            "fallig am|falligkeit|falligkeitsdatum|zahlbar bis|zahlungsziel|date d echeance|echeance|date limite|"
            "date limite de paiement|a payer avant|vervaldatum|te betalen voor|scadenza|data scadenza|"
            "fecha de vencimiento|vencimiento|data de vencimento|vencimento|prelevement a partir du|amount due on"
        ],
    ),
    _concept(
        "order_date",
        "date",
        "order date|date of order",
        [
            "order date|date of order|bestelldatum|auftragsdatum|date de commande|orderdatum|besteldatum|"
            "data ordine|fecha de pedido"
        ],
    ),
    _concept(
        "delivery_date",
        "date",
        "delivery date|ship date|shipping date",
        [
            "delivery date|ship date|shipped|lieferdatum|leistungsdatum|date de livraison|leverdatum|"
            "data di consegna|fecha de entrega"
        ],
    ),
    _concept(
        "print_date",
        "date",
        "print date|printed",
        {
            "print date|printed|printed on|print by|run date|druckdatum|entry date|revised|revision date|"
            "original date|date rev": 1.0
        },
    ),
    _concept(
        "birth_date",
        "date",
        "birth date|date of birth|dob|birthday",
        [
            "date of birth|birth date|dob|born|geburtsdatum|geboren|date de naissance|geboortedatum|"
            "data di nascita|fecha de nacimiento"
        ],
    ),
    _concept(
        "period_from",
        "date",
        "period from|from|start date|flight from|flight start|begin date|period start|valid from|"
        "service from|date from|start|from date",
        {
            "flight dates|flight|order flight|flight date|flight start|flight from|flight start date": 1.08,
            "period|billing period|service period|contract dates|contract period|contract date|schedule dates|"
            "schedule|dates|start date|from|from date|begin|begins|valid from|leistungszeitraum|zeitraum|"
            "abrechnungszeitraum|von|periode|periode du|periodo|dal|desde|start|order dates|hiatus|"
            "starts|starts on|begins on|commences on|beginnt|beginnt am": 1.0,
            "invoice period|statement period|broadcast month": 0.8,
        },
    ),
    _concept(
        "period_to",
        "date",
        "period to|to|end date|flight to|flight end|period end|valid until|valid to|service to|date to|"
        "end|until|to date|expiry date",
        {
            "flight dates|flight|order flight|flight date|flight end|flight to|flight end date": 1.08,
            "period|billing period|service period|contract dates|contract period|contract date|schedule dates|"
            "schedule|dates|end date|to|to date|until|end|ends|valid until|valid to|leistungszeitraum|zeitraum|"
            "abrechnungszeitraum|bis|periode|au|periodo|al|hasta|order dates|hiatus|"
            "ends|ends on|expires|expires on|endet|endet am": 1.0,
            "invoice period|statement period|broadcast month": 0.8,
        },
    ),
    _concept("time", "text", "time", ["time|uhrzeit|heure|tijd|ora|hora|masa"]),
    _concept(
        "total",
        "amount",
        "total|amount|total amount|invoice amount|grand total|invoice total|amount total|sum|gesamtbetrag|price",
        {
            "grand total|rounded total|total rounded|total amount due|total due|amount due|balance due|amount payable|"
            "total payable|total to pay|amount to pay|total invoice|invoice total|total amount rounded|"
            "total after rounding|"
            "gesamtbetrag|rechnungsbetrag|gesamtsumme|zu zahlen|zahlbetrag|endbetrag|bruttobetrag|gesamt brutto|"
            "gesamtbetrag brutto|somme a payer|montant a payer|net a payer|total a payer|total facture|"
            "totaalbedrag|te betalen|totaal te betalen|totale fattura|totale da pagare|importo totale|totale documento|"
            "total a pagar|importe total|valor total|total da fatura|montant total|jumlah besar|endsumme|"
            "rechnungssumme|rechnungsendbetrag|zahlungsbetrag|total general|eindtotaal|totale complessivo|total geral|"
            "total factura|importe liquido|total bersih|jumlah bersih|bill amount|net payable|nett payable": 1.06,
            "total|total amount|total price|total sales|total inclusive gst|total inclusive of gst|total incl gst|"
            "total inclusive tax|total sales inclusive gst|total sales incl gst|total incl vat|total inc gst|"
            "total including gst|total including tax|total with tax|total for this invoice|amount total|sum total|"
            "total gross|gesamt|summe|total ttc|montant ttc|totaal|totaal incl btw|totale|totale iva inclusa|"
            "importe|jumlah|total rm|total eur|total usd|invoice amount|bill total|total bill|total amt": 1.0,
            "line total|line amount|extended|ext price|extended price|extension|ext amount|valor|gesamtpreis|"
            "prix total|total credit|credit total|gutschriftsbetrag|total avoir|"
            "nett total|net total|totals|betrag|montant du prelevement|net amount due|nett|total sale": 0.85,
            "fare|total fare|fahrpreis|prix de la course": 0.85,
            "amount|montant|bedrag|importo|balance": 0.6,
        },
        related={"gross": 0.8, "net": 0.5},
    ),
    _concept(
        "amount_due",
        "amount",
        "amount due|total due|balance due|amount payable|balance|amount to pay|zahlbetrag|net a payer",
        {
            "total amount due|total due|amount due|balance due|amount payable|total payable|total to pay|"
            "amount to pay|zu zahlen|zahlbetrag|zahlbar|restbetrag|offener betrag|somme a payer|montant a payer|"
            "net a payer|total a payer|reste a payer|solde a payer|te betalen|totaal te betalen|nog te betalen|"
            "totale da pagare|netto a pagare|saldo|total a pagar|importe a pagar|valor a pagar|balance to pay|"
            "outstanding balance|amount outstanding": 1.06,
            "balance|solde|saldo due": 0.7,
        },
        related={"total": 0.85},
    ),
    _concept(
        "net",
        "amount",
        "net|subtotal|net amount|amount untaxed|sub total|net total|total before tax|amount excluding tax",
        {
            "subtotal|sub total|net amount|total before tax|total excluding gst|total excl gst|total excl of gst|"
            "total sales excluding gst|total excluding tax|total exclusive gst|amount before tax|"
            "taxable amount|excluding vat|excl vat|"
            "nettobetrag|netto|summe netto|gesamt netto|zwischensumme|total ht|montant ht|sous total|exclusief btw|"
            "excl btw|totaal excl btw|subtotaal|imponibile|totale imponibile|subtotale|base imponible|"
            "base imponivel|total iliquido|subtotal rm|"
            "amount excl gst|total excl tax|total without tax|ohne mwst|net amount due": 1.0,
            "net|net total": 0.85,
        },
    ),
    _concept(
        "tax",
        "amount",
        "tax|tax amount|vat|vat amount|gst|amount tax|sales tax|mwst",
        [
            "tax|tax amount|total tax|sales tax|vat|vat amount|total vat|gst|gst amount|total gst|gst payable|"
            "add gst|tax total|service tax|mwst|ust|mehrwertsteuer|umsatzsteuer|steuer|zzgl mwst|"
            "zzgl ust|tva|montant tva|"
            "total tva|btw|btw bedrag|iva|importe iva|sst|gst summary|tax summary|hst|pst|gst rm|tax rm"
        ],
    ),
    _concept(
        "tax_rate",
        "percentage",
        "tax rate|vat rate|gst rate",
        ["tax rate|vat rate|steuersatz|mwst satz|taux tva|taux de tva"],
    ),
    _concept(
        "gross",
        "amount",
        "gross|gross amount|gross total|total gross|gross value",
        {
            "gross total|gross amount|total gross|gross value|gross billing|total gross amount|gross order total|"
            "bruttobetrag|brutto|montant brut|bruto|importo lordo|importe bruto|gross": 1.05,
            "total order|order total|contract total|total contract|order amount|contract amount|total spot amount": 0.9,
        },
        related={"total": 0.8},
    ),
    _concept(
        "commission",
        "amount",
        "commission|agency commission",
        [
            "commission|agency commission|less agency commission|provision|agency comm|discount|rabatt|"
            "remise|skonto|korting|sconto|descuento|desconto|total discount|item discount|"
            "total item discount|less|savings|total saving|you saved"
        ],
    ),
    _concept(
        "paid",
        "amount",
        "paid|amount paid|cash|payment amount",
        [
            "cash|paid|amount paid|cash received|cash tendered|tendered|tender|payment|total payment|"
            "visa|mastercard|credit card|debit card|card|bar|gegeben|bezahlt|regle|paye|betaald|contant|"
            "pagato|contanti|pagado|efectivo|tunai|amount tendered|total paid|deposit|deposit paid|less deposit|"
            "payment received|payments received|already paid|anzahlung|geleistete anzahlung|abschlagszahlung|acompte|"
            "acompte verse|deja paye|deja regle|aanbetaling|voorschot|acconto|anticipo|received"
        ],
    ),
    _concept(
        "change",
        "amount",
        "change|change due",
        [
            "change|change due|balance change|ruckgeld|zuruck|rendu|monnaie|wisselgeld|resto|cambio|"
            "troco|baki|cash change"
        ],
    ),
    _concept(
        "rounding",
        "amount",
        "rounding|rounding adjustment",
        ["rounding|rounding adjustment|rounding adj|round adj|rundung|arrondi|afronding|round off|adjustment"],
    ),
    _concept(
        "service_charge",
        "amount",
        "service charge|shipping|shipping cost|fee",
        [
            "service charge|svc charge|serv charge|shipping|shipping cost|freight|delivery charge|"
            "versand|versandkosten|frais de port|verzendkosten|spedizione|gastos de envio|tip|gratuity|"
            "fee"
        ],
    ),
    _concept(
        "quantity",
        "number",
        "quantity|qty|units",
        [
            "quantity|qty|total qty|total quantity|total item|total items|items|item count|"
            "number of items|no of items|menge|anzahl|anz|quantite|qte|aantal|quantita|q ta|qta|cantidad|cant|"
            "uds|unidades|quantidade|hours|hrs|stunden|heures|uren|ore|horas|"
            "spots|total spots|kuantiti|total item s|unit|units|total number of spots"
        ],
    ),
    _concept(
        "unit_price",
        "amount",
        "unit price|price|rate",
        [
            "unit price|price|u price|s price|rate|unit rate|hourly rate|unit cost|price each|each|harga|"
            "einzelpreis|e preis|stuckpreis|stundensatz|preis|nettopreis|prix|prix unitaire|prix u|pu|p u|pu ht|p u ht|"
            "prix unitaire ht|tarif|prijs|stukprijs|eenheidsprijs|tarief|prezzo|prezzo unitario|precio|"
            "precio unitario|p unitario|unitario|unitaire|preco unit|tarifa|preco|preco unitario|valor unitario"
        ],
    ),
    _concept(
        "seller",
        "name",
        "seller|issuer|company|company name|vendor|supplier|merchant|store|store name|seller name|"
        "vendor name|supplier name|merchant name|shop|sender|from|biller|issuer name|payee|restaurant|"
        "firma",
        {
            "seller|vendor|supplier|merchant|issued by|sold by|service provider|lieferant|verkaufer|rechnungssteller|"
            "fournisseur|vendeur|leverancier|verkoper|fornitore|venditore|proveedor|vendedor|fornecedor|remit to|"
            "send payment to|make checks payable to|payable to|remit address|from|company|company name|firma|store|"
            "store name|emetteur|sender|absender": 1.0,
            "station|property": 0.4,
        },
    ),
    _concept(
        "buyer",
        "name",
        "buyer|customer|client|customer name|bill to|client name|buyer name|recipient|purchaser|subscriber|debtor",
        {
            "bill to|billed to|sold to|customer|customer name|buyer|client|client name|invoice to|invoiced to|"
            "purchaser|recipient|"
            "to|kunde|rechnungsempfanger|rechnung an|rechnungsadresse|rechnungsanschrift|acheteur|"
            "adresse de facturation|facture a|destinataire|nom de l abonne|"
            "klant|factuuradres|factuur aan|cliente|destinatario|intestatario|spett le|spettabile|datos del cliente|"
            "dati cliente|facturar a|facturado a|comprador|bill to address|billing address|"
            "account name|customer address": 1.0,
            "attn|attention": 0.45,
        },
    ),
    _concept(
        "ship_to",
        "name",
        "ship to|delivery address|shipping address",
        [
            "ship to|deliver to|shipping address|delivery address|lieferadresse|lieferanschrift|"
            "adresse de livraison|adresse de l installation|afleveradres|indirizzo di consegna|"
            "direccion de entrega"
        ],
    ),
    _concept(
        "advertiser",
        "name",
        "advertiser|advertiser name|sponsor|candidate",
        {
            "advertiser|advertiser name|sponsor|advertiser client|client advertiser": 1.0,
            "candidate|client|client name": 0.75,
            "account": 0.4,
        },
    ),
    _concept("agency", "name", "agency|agency name", ["agency|agency name|buying agency|agentur|agence|agencia"]),
    _concept(
        "product",
        "name",
        "product|product name|description|item",
        [
            "product|product desc|product description|product name|description|item|items|artikel|"
            "beschreibung|bezeichnung|designation|produit|omschrijving|descrizione|descripcion|descricao|"
            "product codes|product code|product 1 2"
        ],
    ),
    _concept(
        "address",
        "address",
        "address|seller address|company address|store address|street|location|merchant address|"
        "vendor address|supplier address",
        {
            "address|adresse|anschrift|adres|indirizzo|direccion|endereco|alamat|street|location|registered office|"
            "head office|siege social|sitz": 1.0
        },
    ),
    _concept(
        "phone",
        "phone",
        "phone|telephone|phone number|tel|mobile|telephone number",
        [
            "tel|telephone|phone|phone number|tel number|telefon|telefono|telefone|mobile|mobil|handy|"
            "hotline|call|hp|ph|main|telefoon|contact number|phone ext"
        ],
    ),
    _concept("fax", "phone", "fax|fax number", ["fax|fax number|telefax|facsimile"]),
    _concept(
        "email",
        "email",
        "email|e mail|email address|mail",
        ["email|e mail|mail|email address|correo|courriel|adresse email"],
    ),
    _concept("website", "url", "website|url|web|homepage", ["website|web|url|www|internet|homepage|site"]),
    _concept(
        "iban",
        "iban",
        "iban|bank account|iban number",
        ["iban|bank account|account iban|bankverbindung|compte|rekening|conto|cuenta"],
    ),
    _concept("bic", "code", "bic|swift|swift code", ["bic|swift|swift code|bic swift"]),
    _concept("bank", "name", "bank|bank name", ["bank|bank name|banque|banca|banco|kreditinstitut|nom de la banque"]),
    _concept(
        "tax_number",
        "code",
        "vat number|tax number|tax id|vat id|gst number|ust id|vat registration number|tin|ein",
        {
            "vat number|vat id|vat registration number|vat reg number|tax id|tax number|gst id|gst id number|"
            "gst number|gst reg number|gst registration number|ust id|ustid|ust idnr|ust id nr|"
            "umsatzsteuer id|steuernummer|"
            "steuer nr|numero de tva|tva intracommunautaire|number de tva intra communautaire|btw nummer|"
            "btw number|partita iva|p iva|nif|cif|abn|"
            "gstin|sst number|sst id|ein|tin|federal tax id|cuit|rfc|cnpj": 1.0,
            "vat": 0.8,
        },
    ),
    _concept(
        "company_number",
        "code",
        "company number|registration number|siren|kvk|register number",
        [
            "company number|company reg number|co reg number|reg number|registration number|roc|siren|"
            "siret|rcs|kvk|kvk nummer|handelsregister|hrb|registergericht|chamber of commerce|"
            "business registration number|brn"
        ],
    ),
    _concept("currency", "currency", "currency|currency code", ["currency|wahrung|devise|valuta|moneda|moeda|monnaie"]),
    _concept(
        "term",
        "duration",
        "term|contract term|agreement term|term of agreement|duration|validity|laufzeit|duree",
        [
            "term|contract term|initial term|term of agreement|lease term|term of lease|loan term|policy term|duration|"
            "period of validity|laufzeit|vertragslaufzeit|vertragsdauer|duree|duree du contrat|looptijd|durata|"
            "duracion|plazo|duracao|prazo"
        ],
    ),
    _concept(
        "payment_terms",
        "text",
        "payment terms|terms",
        [
            "payment terms|terms|terms of payment|zahlungsbedingungen|conditions de paiement|"
            "betalingsvoorwaarden|condizioni di pagamento|condiciones de pago|net days"
        ],
    ),
    _concept(
        "payment_method",
        "text",
        "payment method|payment type|payment mode|paid by",
        [
            "payment method|payment mode|payment type|pay by|zahlungsart|zahlungsform|mode de paiement|"
            "betaalwijze|metodo di pagamento|forma de pago|billing type"
        ],
    ),
    _concept(
        "cashier",
        "name",
        "cashier|salesperson|server|operator|served by|contact|account executive|sales person",
        [
            "cashier|salesperson|sales person|server|operator|served by|staff|user|counter|table|pax|"
            "bediener|kassierer|caissier|caja|account executive|primary ae|contact|buying contact|"
            "billing contact|sales office|sales region|station|till|pos|terminal|ansprechpartner|"
            "bearbeiter|ae"
        ],
    ),
    _concept(
        "estimate", "code", "estimate|estimate number", ["estimate|estimate number|est|est number|deal|deal number"]
    ),
    _concept("page_count", "number", "page|pages", ["page|pages|seite|pagina|pag"]),
    _concept(
        "name",
        "name",
        "name|full name|person|patient name|first name last name",
        ["name|full name|nom|nombre|nome|naam|patient name|patient"],
    ),
)
"""What the rules know; a field that is none of them is found by its own name."""

BY_ID: Mapping[str, Concept] = {concept.id: concept for concept in CONCEPTS}
