import crawlercommons.robots.SimpleRobotRulesParser;
import java.util.List;
import java.util.Locale;

/** Asks crawler-commons. */
public final class CrawlerCommons {
    private static final String ROBOTS_URL = "https://example.com/robots.txt";

    public static void main(String[] arguments) throws Exception {
        Questions.answer(question -> {
            // The parser requires lower case.
            var agents = List.of(question.agent().toLowerCase(Locale.ROOT));
            var parser = new SimpleRobotRulesParser();
            return parser.parseContent(ROBOTS_URL, question.robots(), "text/plain", agents).isAllowed(question.url());
        });
    }
}
