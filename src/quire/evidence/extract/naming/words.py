"""Words that labels of forms are made of, besides those of the concepts."""

from __future__ import annotations

_WORDS = """
    name surname forename first last middle initials title salutation sex gender age birth born nationality marital
    date day month year time hour hours period week from to until start end due expiry issued
    address street city town village state province zip postcode postal country county region area district
    division department dept office branch location place site room floor building
    phone telephone tel mobile fax telefax email mail web contact person
    number no nr code id ref reference serial file case lot batch page pages copies line item items order
    type kind class category grade model make brand product material size colour color weight height length width
    quantity qty unit units price rate cost costs amount total subtotal balance budget fee charge charges tax payment
    account bank currency value volume percent
    subject description remarks comment comments notes note purpose reason reasons explanation instructions details
    summary results result conclusion recommendation objective background problem
    signature signed approved approval prepared received submitted requested reviewed authorized authorised checked
    completed reported initiated tested issued ordered shipped delivered paid opened closed by for cc attention attn
    manager supervisor director officer agent agency company firm organization organisation employer employee applicant
    client customer supplier vendor buyer seller sender recipient owner holder patient doctor physician student witness
    occupation profession position status priority language passport insurance emergency relationship spouse child
    children project program programme job task study test sample method frequency
    media market distribution circulation issue source destination vehicle permit licence license policy claim invoice
    vorname nachname geburtsdatum strasse hausnummer plz ort wohnort staatsangehorigkeit beruf telefon unterschrift
    datum betreff bemerkung bemerkungen anzahl menge preis betrag summe firma kunde anschrift abteilung
    nom prenom adresse rue ville pays profession telephone signature objet montant quantite prix remarques
    nombre apellido apellidos direccion calle ciudad pais telefono firma fecha importe cantidad observaciones
"""
FORM_WORDS = frozenset(_WORDS.split())
