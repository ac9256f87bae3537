"""The exceptions of Quire, their categories, and which of them a retry can mend."""

from quire.core.errors import CATEGORIES as CATEGORIES
from quire.core.errors import RETRYABLE as RETRYABLE
from quire.core.errors import Category as Category
from quire.core.errors import ChangedError as ChangedError
from quire.core.errors import ConfigurationError as ConfigurationError
from quire.core.errors import CorruptError as CorruptError
from quire.core.errors import EngineError as EngineError
from quire.core.errors import FencedError as FencedError
from quire.core.errors import FetchError as FetchError
from quire.core.errors import InputError as InputError
from quire.core.errors import LimitError as LimitError
from quire.core.errors import PasswordError as PasswordError
from quire.core.errors import QuireError as QuireError
from quire.core.errors import RecognitionError as RecognitionError
from quire.core.errors import RunCancelled as RunCancelled
from quire.core.errors import RunError as RunError
from quire.core.errors import StoreError as StoreError
from quire.core.errors import UnsupportedError as UnsupportedError
from quire.core.errors import UsageError as UsageError
from quire.core.errors import category_of as category_of
from quire.core.errors import exit_code_of as exit_code_of
from quire.system.workers import JobFailed as JobFailed
from quire.system.workers import WorkerCrashed as WorkerCrashed
from quire.system.workers import WorkerError as WorkerError
from quire.system.workers import WorkerOutOfMemory as WorkerOutOfMemory
from quire.system.workers import WorkerTimeout as WorkerTimeout
