import edu.uci.ics.crawler4j.crawler.CrawlConfig;
import edu.uci.ics.crawler4j.fetcher.PageFetcher;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtConfig;
import edu.uci.ics.crawler4j.robotstxt.RobotstxtServer;
import edu.uci.ics.crawler4j.url.WebURL;

/** Asks the RobotstxtServer of crawler4j, which fetches robots.txt. */
public final class Crawler4j {
    private static final int TIMEOUT = 10_000;

    public static void main(String[] arguments) throws Exception {
        Questions.answer(question -> {
            var crawlConfig = new CrawlConfig();
            crawlConfig.setUserAgentString(question.agent() + "/1.0");
            crawlConfig.setConnectionTimeout(TIMEOUT);
            crawlConfig.setSocketTimeout(TIMEOUT);
            var robotsConfig = new RobotstxtConfig();
            robotsConfig.setUserAgentName(question.agent());
            var fetcher = new PageFetcher(crawlConfig);
            try {
                var url = new WebURL();
                url.setURL(question.url());
                return new RobotstxtServer(robotsConfig, fetcher).allows(url);
            } finally {
                fetcher.shutDown();
            }
        });
    }
}
