"""The slots of a pipeline, and the values that pass between its stages."""

from quire.pipelines.roles import Classified as Classified
from quire.pipelines.roles import Classifier as Classifier
from quire.pipelines.roles import Corrector as Corrector
from quire.pipelines.roles import Crop as Crop
from quire.pipelines.roles import LayoutDetector as LayoutDetector
from quire.pipelines.roles import PreparedPicture as PreparedPicture
from quire.pipelines.roles import Preprocessor as Preprocessor
from quire.pipelines.roles import RegionPreprocessor as RegionPreprocessor
from quire.pipelines.roles import Slot as Slot
