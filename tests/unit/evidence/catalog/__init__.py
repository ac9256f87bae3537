import pytest

pytestmark = [pytest.mark.both_readers]
