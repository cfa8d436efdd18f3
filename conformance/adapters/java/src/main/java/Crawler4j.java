import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import edu.uci.ics.crawler4j.url.WebURL;

/** Asks the RobotstxtServer of crawler4j, which fetches robots.txt. */
public final class Crawler4j {
    private static final int TIMEOUT = 10_000;

    /** A client, which has a cache of its own. */
    private record Client(Integer number, PageFetcher fetcher, RobotstxtServer server) {}

    private static Client kept;

    public static void main(String[] arguments) throws Exception {
        Questions.answer(question -> {
            if (kept == null || question.client() == null || !question.client().equals(kept.number())) {
                if (kept != null) {
                    kept.fetcher().shutDown();
                }
                kept = create(question);
            }
            var url = new WebURL();
            url.setURL(question.url());
            return kept.server().allows(url);
        });
    }

    private static Client create(Questions.Question question) throws Exception {
        var crawlConfig = new CrawlConfig();
        crawlConfig.setUserAgentString(question.agent() + "/1.0");
        crawlConfig.setConnectionTimeout(TIMEOUT);
        crawlConfig.setSocketTimeout(TIMEOUT);
        var robotsConfig = new RobotstxtConfig();
        robotsConfig.setUserAgentName(question.agent());
        var fetcher = new PageFetcher(crawlConfig);
        return new Client(question.client(), fetcher, new RobotstxtServer(robotsConfig, fetcher));
    }
}
