#!/bin/sh
# Fetches docling's Java client for the tests (MIT), once, with Maven.
# Prints the folder of its jars. Exit code 1: it cannot be had here; standard error says why and what is not tested.
set -u

VERSION=0.5.0
JACKSON=2.19.2
folder=${1:-$(cd "$(dirname "$0")/.." && pwd)/.venv/maven}

give_up() {
    echo "NOT TESTED: docling's client in Java. $1" >&2
    exit 1
}

if [ "$(cat "$folder/versions" 2>/dev/null)" != "$VERSION $JACKSON" ]; then
    command -v javac >/dev/null && command -v mvn >/dev/null ||
        give_up "It needs a JDK and Maven, which are not here. To test it: apt install default-jdk-headless maven"
    rm -rf "$folder"
    mkdir -p "$folder"
    cat >"$folder/pom.xml" <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>quire</groupId><artifactId>clients</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>ai.docling</groupId><artifactId>docling-serve-client</artifactId><version>$VERSION</version>
    </dependency>
    <dependency>
      <groupId>com.fasterxml.jackson.core</groupId><artifactId>jackson-databind</artifactId><version>$JACKSON</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId><artifactId>slf4j-nop</artifactId><version>2.0.17</version>
    </dependency>
  </dependencies>
</project>
END
    said=$(mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$folder/jars" 2>&1) ||
        give_up "Maven could not fetch it: $said"
    echo "$VERSION $JACKSON" >"$folder/versions"
fi
echo "$folder/jars"
