BEGIN TRANSACTION;
CREATE TABLE attempts (
    document TEXT NOT NULL,
    page INTEGER NOT NULL,
    reading TEXT NOT NULL,
    noted INTEGER NOT NULL,
    number INTEGER NOT NULL,
    engine TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    ms REAL NOT NULL,
    PRIMARY KEY (document, page, reading, number)
) WITHOUT ROWID;
INSERT INTO "attempts" VALUES('43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',3,'fast',1,1,'tesseract','timeout','10 s',10000.0);
INSERT INTO "attempts" VALUES('43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',3,'fast',1,2,'rapidocr','ok','',812.5);
CREATE TABLE claims (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    token INTEGER NOT NULL,
    takeovers INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
    run TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    stage TEXT NOT NULL,
    document TEXT,
    page INTEGER,
    key TEXT,
    payload TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
CREATE TABLE "facts" (
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    stage TEXT NOT NULL,
    document TEXT NOT NULL,
    page INTEGER,
    size INTEGER NOT NULL,
    used INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (key, document)
) WITHOUT ROWID;
INSERT INTO "facts" VALUES('43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008','84a5c3705aac7b7e42f9b744ed883de32f482797407808169c9beefcc1d2030b','document','43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',NULL,33,20000);
INSERT INTO "facts" VALUES('732eaa175c6bf256569d98913923e8b2bec43d178ee3f2c788d04b9b1f0f2001','f16f38b626727e63ef1b713860c03e8ecb46dd861ff0b4be83fe0157166e2e56','page-blocks','43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',1,26,20000);
INSERT INTO "facts" VALUES('752637f81b0d2163753203d265d4ec93904643bd6f6e3e54fba8e323d86614be','98fbc32f2f7752af633ba6078312a5d1e86e859e98c35ff4e34b4e46cc8fcf5f','picture','43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',3,21,20000);
INSERT INTO "facts" VALUES('900a4469df00ccbfd0c145c6d1e4b7953dd0afafadd7534e3a4019e8d38fc663','7ef0aed7336af650f46dc32a61088451d6913b2e2932ec607d0e85a3d3734aac','native-text','43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',1,22,20000);
INSERT INTO "facts" VALUES('ad0387b3bd8652f730ca46d25f9c170af0fd589f42e7f23f5a9e6412d97d7e56','7ef0aed7336af650f46dc32a61088451d6913b2e2932ec607d0e85a3d3734aac','native-text','43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',2,22,20000);
INSERT INTO "facts" VALUES('c55ff159f576dee35e5dee061e73418cc7f3e2ab003524e08ff9901fb316f733','5f05aa4048608fbe2a84132ddc6d744d8e3cac2e944c7b387310e3d8ae67cc3f','answer','43cc23fa52b87b4cc1d02b5b114154151d6adddb17c9fddc06b027fa99e24008',3,20,20000);
INSERT INTO "facts" VALUES('c55ff159f576dee35e5dee061e73418cc7f3e2ab003524e08ff9901fb316f733','5f05aa4048608fbe2a84132ddc6d744d8e3cac2e944c7b387310e3d8ae67cc3f','answer','d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa',7,20,20000);
INSERT INTO "facts" VALUES('f216efe9dc5100d1550dabaa765a4794cbbca3311ea654362021b498cf18bc44','98fbc32f2f7752af633ba6078312a5d1e86e859e98c35ff4e34b4e46cc8fcf5f','picture','d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa',7,21,20000);
CREATE TABLE figures (
    run TEXT NOT NULL,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
INSERT INTO "figures" VALUES('000000000000-1','pages',3.0);
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE invocations (
    key TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    workflow TEXT NOT NULL,
    version TEXT NOT NULL,
    pool TEXT NOT NULL,
    argument TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    error TEXT,
    cancel INTEGER NOT NULL DEFAULT 0,
    number INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE objects (
    digest TEXT PRIMARY KEY,
    pack TEXT NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "objects" VALUES('5f05aa4048608fbe2a84132ddc6d744d8e3cac2e944c7b387310e3d8ae67cc3f','objects/5f/05aa4048608fbe2a84132ddc6d744d8e3cac2e944c7b387310e3d8ae67cc3f',0,20);
INSERT INTO "objects" VALUES('7ef0aed7336af650f46dc32a61088451d6913b2e2932ec607d0e85a3d3734aac','objects/7e/f0aed7336af650f46dc32a61088451d6913b2e2932ec607d0e85a3d3734aac',0,22);
INSERT INTO "objects" VALUES('84a5c3705aac7b7e42f9b744ed883de32f482797407808169c9beefcc1d2030b','objects/84/a5c3705aac7b7e42f9b744ed883de32f482797407808169c9beefcc1d2030b',0,33);
INSERT INTO "objects" VALUES('98fbc32f2f7752af633ba6078312a5d1e86e859e98c35ff4e34b4e46cc8fcf5f','objects/98/fbc32f2f7752af633ba6078312a5d1e86e859e98c35ff4e34b4e46cc8fcf5f',0,21);
INSERT INTO "objects" VALUES('f16f38b626727e63ef1b713860c03e8ecb46dd861ff0b4be83fe0157166e2e56','objects/f1/6f38b626727e63ef1b713860c03e8ecb46dd861ff0b4be83fe0157166e2e56',0,26);
CREATE TABLE outputs (
    place TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    document TEXT NOT NULL,
    source TEXT NOT NULL,
    settings TEXT NOT NULL,
    files TEXT NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    boot TEXT NOT NULL,
    expires REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE quarantine (
    key TEXT PRIMARY KEY,
    document TEXT NOT NULL,
    source TEXT NOT NULL,
    category TEXT NOT NULL,
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    run TEXT NOT NULL,
    at REAL NOT NULL
, exit_code INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO "quarantine" VALUES('k-cut','d-cut','/in/cut.pdf','input','step ''document'': cut.pdf: is damaged',1,'r-1',6.0,0);
INSERT INTO "quarantine" VALUES('k-secret','d-secret','/in/secret.pdf','input','step ''document'': secret.pdf: is encrypted and needs a password',1,'r-1',5.0,6);
CREATE TABLE review_history (
    review TEXT NOT NULL,
    path TEXT NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    action TEXT NOT NULL,
    decision TEXT,
    reviewer TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (review, path, version)
) WITHOUT ROWID;
CREATE TABLE review_items (
    review TEXT NOT NULL,
    path TEXT NOT NULL,
    document TEXT NOT NULL,
    number INTEGER NOT NULL,
    part TEXT NOT NULL,
    field TEXT NOT NULL,
    doubt TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    decision TEXT,
    claim TEXT NOT NULL DEFAULT '',
    reviewer TEXT NOT NULL DEFAULT '',
    boot TEXT NOT NULL DEFAULT '',
    expires REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (review, path)
) WITHOUT ROWID;
CREATE TABLE reviews (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    document TEXT NOT NULL,
    reference TEXT NOT NULL,
    place TEXT NOT NULL,
    run TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    opened REAL NOT NULL,
    ended REAL,
    sample INTEGER NOT NULL DEFAULT 0,
    waiting TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
INSERT INTO "reviews" VALUES('review-1','tenant-0123456789abcdef0123456789abcdef','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','null','','','','{}',0.0,NULL,0,'');
CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    flow TEXT NOT NULL,
    key TEXT NOT NULL,
    generation INTEGER NOT NULL,
    inputs TEXT NOT NULL,
    state TEXT NOT NULL,
    result TEXT,
    error TEXT,
    cancel INTEGER NOT NULL DEFAULT 0,
    submitted REAL NOT NULL,
    finished REAL,
    sequence INTEGER NOT NULL DEFAULT 0,
    reference TEXT
) WITHOUT ROWID;
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO "schema_version" VALUES(7);
CREATE TABLE signals (
    invocation TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (invocation, name)
) WITHOUT ROWID;
CREATE TABLE steps (
    invocation TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    result TEXT,
    error TEXT,
    due REAL,
    PRIMARY KEY (invocation, number)
) WITHOUT ROWID;
CREATE INDEX objects_of_pack ON objects (pack);
CREATE INDEX claims_of_owner ON claims (owner);
CREATE INDEX runs_of_key ON runs (flow, key, generation);
CREATE UNIQUE INDEX events_once ON events (run, id);
CREATE INDEX invocations_waiting ON invocations (state, pool, number);
CREATE INDEX invocations_of_run ON invocations (run);
CREATE INDEX outputs_of_document ON outputs (document);
CREATE INDEX facts_of_document ON facts (document, stage, page);
CREATE INDEX outputs_of_source ON outputs (source);
CREATE INDEX reviews_of_tenant ON reviews (tenant, opened, id);
CREATE INDEX reviews_of_document ON reviews (document);
CREATE INDEX review_items_open ON review_items (state, doubt, review);
CREATE INDEX review_items_of_claim ON review_items (claim);
CREATE INDEX review_items_of_document ON review_items (document);
CREATE INDEX review_history_of_document ON review_history (document);
COMMIT;
