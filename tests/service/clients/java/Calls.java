import ai.docling.serve.api.DoclingServeApi;
import ai.docling.serve.api.chunk.request.HierarchicalChunkDocumentRequest;
import ai.docling.serve.api.chunk.request.HybridChunkDocumentRequest;
import ai.docling.serve.api.chunk.response.ChunkDocumentResponse;
import ai.docling.serve.api.clear.request.ClearResultsRequest;
import ai.docling.serve.api.convert.request.ConvertDocumentRequest;
import ai.docling.serve.api.convert.request.options.ConvertDocumentOptions;
import ai.docling.serve.api.convert.request.options.OutputFormat;
import ai.docling.serve.api.convert.request.source.FileSource;
import ai.docling.serve.api.convert.request.source.HttpSource;
import ai.docling.serve.api.convert.request.target.ZipTarget;
import ai.docling.serve.api.convert.response.ConvertDocumentResponse;
import ai.docling.serve.api.convert.response.InBodyConvertDocumentResponse;
import ai.docling.serve.api.convert.response.ZipArchiveConvertDocumentResponse;
import ai.docling.serve.api.task.request.TaskStatusPollRequest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.zip.ZipInputStream;

/** Makes calls for a test with docling's Java client: one JSON object per line comes in, and one goes out. */
public class Calls {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode call = JSON.readTree(line);
            Map<String, Object> answer = new TreeMap<>();
            try {
                answer.put("value", made(call.get("name").asText(), call.get("arguments")));
            } catch (Exception error) {
                Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
                answer.put("error", cause.getClass().getSimpleName());
                answer.put("message", String.valueOf(cause.getMessage()));
            }
            System.out.println(JSON.writeValueAsString(answer));
            System.out.flush();
        }
    }

    private static Object made(String name, JsonNode given) throws Exception {
        DoclingServeApi client = opened(given);
        switch (name) {
            case "health":
                return client.health().getStatus();
            case "convert":
                return summary(client.convertSource(request(given)));
            case "convert_async":
                return summary(client.convertSourceAsync(request(given)).toCompletableFuture().join());
            case "convert_files":
                return summary(client.convertFiles(paths(given)));
            case "poll":
                TaskStatusPollRequest asked =
                    TaskStatusPollRequest.builder().taskId(given.get("task").asText()).waitTime(Duration.ofSeconds(1)).build();
                return String.valueOf(client.pollTaskStatus(asked).getTaskStatus());
            case "clear":
                return client.clearResults(ClearResultsRequest.builder().olderThen(Duration.ZERO).build()).getStatus();
            case "chunk_hybrid":
                return summary(client.chunkSourceWithHybridChunker(
                    HybridChunkDocumentRequest.builder().source(file(given)).build()));
            case "chunk_hierarchical":
                return summary(client.chunkSourceWithHierarchicalChunkerAsync(
                    HierarchicalChunkDocumentRequest.builder().source(file(given)).build()).toCompletableFuture().join());
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static DoclingServeApi opened(JsonNode given) {
        DoclingServeApi.DoclingApiBuilder<?, ?> builder = DoclingServeApi.builder();
        builder.baseUrl(given.get("url").asText());
        builder.asyncPollInterval(Duration.ofMillis(100));
        if (given.has("key")) {
            builder.apiKey(given.get("key").asText());
        }
        return builder.build();
    }

    private static Path[] paths(JsonNode given) {
        List<Path> found = new ArrayList<>();
        given.get("sources").forEach(one -> found.add(Path.of(one.asText())));
        return found.toArray(new Path[0]);
    }

    private static FileSource file(JsonNode given) throws Exception {
        Path path = Path.of(given.get("source").asText());
        String text = Base64.getEncoder().encodeToString(Files.readAllBytes(path));
        return FileSource.builder().filename(path.getFileName().toString()).base64String(text).build();
    }

    private static ConvertDocumentRequest request(JsonNode given) throws Exception {
        ConvertDocumentOptions.Builder options = ConvertDocumentOptions.builder();
        for (JsonNode format : given.path("to")) {
            options.toFormat(OutputFormat.valueOf(format.asText()));
        }
        ConvertDocumentRequest.Builder request = ConvertDocumentRequest.builder().options(options.build());
        if (given.get("source").asText().startsWith("http")) {
            request.source(HttpSource.builder().url(URI.create(given.get("source").asText())).build());
        } else {
            request.source(file(given));
        }
        if (given.path("zip").asBoolean()) {
            request.target(ZipTarget.builder().build());
        }
        return request.build();
    }

    private static Object summary(ConvertDocumentResponse response) throws Exception {
        Map<String, Object> found = new TreeMap<>();
        if (response instanceof ZipArchiveConvertDocumentResponse zip) {
            List<String> names = new ArrayList<>();
            try (ZipInputStream archive = new ZipInputStream(zip.getInputStream())) {
                for (var entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                    names.add(entry.getName());
                }
            }
            found.put("filename", zip.getFileName());
            found.put("names", names);
            return found;
        }
        InBodyConvertDocumentResponse body = (InBodyConvertDocumentResponse) response;
        found.put("status", body.getStatus());
        found.put("filename", body.getDocument().getFilename());
        found.put("markdown", body.getDocument().getMarkdownContent());
        found.put("html", body.getDocument().getHtmlContent());
        found.put("text", body.getDocument().getTextContent());
        found.put("doctags", body.getDocument().getDoctagsContent());
        if (body.getDocument().getJsonContent() != null) {
            found.put("pages", new ArrayList<>(body.getDocument().getJsonContent().getPages().keySet()));
            found.put("texts", body.getDocument().getJsonContent().getTexts().size());
            found.put("tables", body.getDocument().getJsonContent().getTables().size());
        }
        found.put("errors", body.getErrors().stream().map(error -> error.getErrorMessage()).toList());
        return found;
    }

    private static Object summary(ChunkDocumentResponse response) {
        List<Object> chunks = new ArrayList<>();
        response.getChunks().forEach(chunk -> chunks.add(List.of(chunk.getText(), chunk.getPageNumbers())));
        return chunks;
    }
}
