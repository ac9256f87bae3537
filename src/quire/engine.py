"""The contract of OCR engines and vision models: what they are asked, and what they answer."""

from quire.core.engine import CAPABILITIES as CAPABILITIES
from quire.core.engine import Attempt as Attempt
from quire.core.engine import Capability as Capability
from quire.core.engine import Engine as Engine
from quire.core.engine import Outcome as Outcome
from quire.core.engine import Partial as Partial
from quire.core.engine import Policy as Policy
from quire.core.engine import Provenance as Provenance
from quire.core.engine import Question as Question
from quire.core.engine import ReadBlock as ReadBlock
from quire.core.engine import ReadLine as ReadLine
from quire.core.engine import Recognition as Recognition
from quire.core.engine import Tier as Tier
