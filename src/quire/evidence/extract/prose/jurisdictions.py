"""States, provinces and countries, of which an agreement may choose the law."""

from __future__ import annotations

import re

_OF_USA = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|"
    "Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|"
    "Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|"
    "Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|"
    "Wyoming|District of Columbia|Puerto Rico|Guam"
)
_OTHER_STATES = (
    "Alberta|British Columbia|Manitoba|New Brunswick|"
    "Newfoundland and Labrador|Newfoundland|Nova Scotia|Ontario|Prince Edward Island|Quebec|Québec|Saskatchewan|Yukon|"
    "New South Wales|Victoria|Queensland|South Australia|Western Australia|Tasmania|Australian Capital Territory|"
    "Northern Territory|England and Wales|England & Wales|England|Scotland|Wales|Northern Ireland|Jersey|Guernsey|"
    "Isle of Man|Cayman Islands|British Virgin Islands|Bermuda|Gibraltar|Hong Kong|Macau|Dubai|Abu Dhabi|Bavaria|Zurich"
)
_COUNTRIES = (
    "Argentina|Australia|Austria|Bahamas|Bahrain|Bangladesh|Barbados|Belgium|Brazil|Bulgaria|Canada|Chile|China|Colombia|"
    "Costa Rica|Croatia|Cyprus|Czech Republic|Denmark|Ecuador|Egypt|Estonia|Finland|France|Germany|Ghana|Greece|"
    "Hungary|Iceland|India|Indonesia|Ireland|Israel|Italy|Jamaica|Japan|Jordan|Kenya|Korea|South Korea|Kuwait|"
    "Latvia|Lebanon|Liechtenstein|Lithuania|Luxembourg|Malaysia|Malta|Marshall Islands|Mauritius|Mexico|Monaco|"
    "Morocco|Netherlands|New Zealand|Nigeria|Norway|Oman|Pakistan|Panama|Peru|Philippines|Poland|Portugal|Qatar|"
    "Romania|Russia|Russian Federation|Saudi Arabia|Serbia|Singapore|Slovakia|Slovenia|South Africa|Spain|Sri Lanka|"
    "Sweden|Switzerland|Taiwan|Thailand|Tunisia|Turkey|Ukraine|United Arab Emirates|United Kingdom|Great Britain|"
    "United States of America|United States|Uruguay|Venezuela|Vietnam"
)
_ADJECTIVES = (
    "English|Scots|Scottish|Irish|German|French|Italian|Spanish|Swiss|Dutch|Belgian|Austrian|Danish|Swedish|Norwegian|"
    "Finnish|Polish|Japanese|Chinese|Indian|Israeli|Canadian|Australian|Mexican|Brazilian|Portuguese|Russian|Singaporean"
)
_LONGEST_FIRST = "|".join(sorted(f"{_OF_USA}|{_OTHER_STATES}|{_COUNTRIES}".split("|"), key=len, reverse=True)).replace(
    " ", r"\s+"
)
PLACE = rf"(?:{_LONGEST_FIRST})"
"""A pattern; case does not matter."""
ADJECTIVE = rf"(?:{_ADJECTIVES})"
_PLACE = re.compile(rf"(?:the\s+)?(?:State\s+of\s+)?{PLACE}", re.IGNORECASE)
_STATE_OF_USA = re.compile(rf"\b(?:{_OF_USA})\b|\bU\.?S\.?A\b", re.IGNORECASE)
_COUNTRY_OF_STATES = re.compile(r"United\s+States(?:\s+of\s+America)?|Canada|Australia|United\s+Kingdom", re.IGNORECASE)


def is_place(text: str) -> bool:
    """Whether a text is the name of a state or a country and nothing else."""
    return _PLACE.fullmatch(text.strip()) is not None


def has_states(place: str) -> bool:
    """Whether a country has states with laws of their own."""
    return _COUNTRY_OF_STATES.fullmatch(place) is not None


def names_state_of_usa(text: str) -> bool:
    """Whether a text names a state of the United States."""
    return _STATE_OF_USA.search(text) is not None
