import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import crawlercommons.robots.SimpleRobotRulesParser;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * Asks crawler-commons. Reads questions from standard input, and writes the answers to standard output: one line of JSON
 * each.
 */
public final class CrawlerCommons {
    private static final String ROBOTS_URL = "https://example.com/robots.txt";

    public static void main(String[] arguments) throws Exception {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            output.println(answer(JsonParser.parseString(line).getAsJsonObject()));
        }
    }

    private static JsonObject answer(JsonObject question) {
        if (question.get("agents").getAsJsonArray().size() != 1) {
            var skipped = new JsonObject();
            skipped.addProperty("skip", "only one product token is supported");
            return skipped;
        }
        byte[] robots = Base64.getDecoder().decode(question.get("robots").getAsString());
        String url = new String(Base64.getDecoder().decode(question.get("url").getAsString()), StandardCharsets.UTF_8);
        // The parser requires lower case.
        String agent = question.get("agents").getAsJsonArray().get(0).getAsString().toLowerCase(Locale.ROOT);
        var answer = new JsonObject();
        try {
            var rules = new SimpleRobotRulesParser().parseContent(ROBOTS_URL, robots, "text/plain", List.of(agent));
            answer.addProperty("allowed", rules.isAllowed(url));
        } catch (RuntimeException error) {
            answer.addProperty("exception", error.toString());
        }
        return answer;
    }
}
