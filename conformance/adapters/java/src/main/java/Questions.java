import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Reads questions from standard input, and writes the answers to standard output: one line of JSON each. */
final class Questions {
    /** What an adapter asks its library. */
    record Question(byte[] robots, String agent, String url, Integer client) {}

    /** Decides whether a URL is allowed. */
    interface Decision {
        boolean isAllowed(Question question) throws Exception;
    }

    private Questions() {}

    static void answer(Decision decision) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            output.println(answer(JsonParser.parseString(line).getAsJsonObject(), decision));
        }
    }

    private static JsonObject answer(JsonObject fields, Decision decision) {
        var answer = new JsonObject();
        var agents = fields.get("agents").getAsJsonArray();
        if (agents.size() != 1) {
            answer.addProperty("skip", "only one product token is supported");
            return answer;
        }
        byte[] robots = Base64.getDecoder().decode(fields.get("robots").getAsString());
        String url = new String(Base64.getDecoder().decode(fields.get("url").getAsString()), StandardCharsets.UTF_8);
        try {
            Integer client = fields.has("client") ? fields.get("client").getAsInt() : null;
            var question = new Question(robots, agents.get(0).getAsString(), url, client);
            answer.addProperty("allowed", decision.isAllowed(question));
        } catch (Exception error) {
            answer.addProperty("exception", error.toString());
        }
        return answer;
    }
}
