import com.google.protobuf.Message;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.BlockQueueParams;
import crawlercommons.urlfrontier.Urlfrontier.Empty;
import crawlercommons.urlfrontier.Urlfrontier.GetParams;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.ListUrlParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueDelayParams;
import crawlercommons.urlfrontier.Urlfrontier.QueueWithinCrawlParams;
import crawlercommons.urlfrontier.Urlfrontier.Stats;
import crawlercommons.urlfrontier.Urlfrontier.StringList;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import crawlercommons.urlfrontier.Urlfrontier.URLStatusRequest;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A test server of the URLFrontier protocol, which keeps everything in memory. It is not the reference service.
 *
 * <p>Usage: {@code TestServer PORT...}. Each port is a node, which has the queues whose keys hash to it: `GetURLs` returns
 * only URLs of these, and every other call is about all queues. Commands are lines of the standard input, and each has one
 * line of output:
 *
 * <ul>
 *   <li>{@code fault unavailable METHOD N}: the next N calls of a method fail with UNAVAILABLE.
 *   <li>{@code fault fail METHOD N}: the next N items of the method `PutURLs` are answered with FAIL.
 *   <li>{@code fault break METHOD N}: the next call of a method breaks after N messages, all of which have an effect.
 *   <li>{@code fault slow METHOD MILLISECONDS}: all calls of a method take longer. 0 ends it.
 *   <li>{@code down}: refuse connections, and end the present ones. {@code up}: accept them again. {@code forget}: lose what
 *       the reference service has only in memory: leases, blocks and delays.
 *   <li>{@code calls METHOD}: print the number of calls of a method.
 *   <li>{@code delay CRAWL KEY}: print the delay of a queue. {@code block CRAWL KEY}: print until when it is blocked.
 * </ul>
 */
public final class TestServer {
    /** The time of a call in seconds, if the header {@code test-now} has one. The time of this machine otherwise. */
    private static final Context.Key<Double> NOW = Context.key("now");
    private static final Metadata.Key<String> NOW_HEADER =
            Metadata.Key.of("test-now", Metadata.ASCII_STRING_MARSHALLER);
    private static final int DEFAULT_DELAY = 1;
    private static final int DEFAULT_LEASE = 30;
    private static final int MAX_KEY = 255;

    private final Map<String, LinkedHashMap<String, Queue>> crawls = new TreeMap<>();
    private final Map<String, Integer> calls = new HashMap<>();
    private final Map<String, Integer> unavailable = new HashMap<>();
    private final Map<String, Integer> failing = new HashMap<>();
    private final Map<String, Integer> breaking = new HashMap<>();
    private final Map<String, Integer> slow = new HashMap<>();
    private final List<Server> servers = new ArrayList<>();
    private final int[] ports;

    private TestServer(int[] ports) {
        this.ports = ports;
    }

    /** The URLs of one key. Times are whole seconds since the epoch, as in the reference service. */
    private static final class Queue {
        final LinkedHashMap<String, Scheduled> urls = new LinkedHashMap<>();
        final LinkedHashMap<String, URLInfo> completed = new LinkedHashMap<>();
        long blockedUntil = -1;
        long producedAt = 0;
        int delay = DEFAULT_DELAY;

        long inProcess(long now) {
            return urls.values().stream().filter(url -> url.heldUntil > now).count();
        }
    }

    private static final class Scheduled {
        final URLInfo info;
        final long date;
        long heldUntil = 0;

        Scheduled(URLInfo info, long date) {
            this.info = info;
            this.date = date;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int[] ports = new int[arguments.length];
        for (int number = 0; number < ports.length; number++) {
            ports[number] = Integer.parseInt(arguments[number]);
        }
        TestServer server = new TestServer(ports);
        server.up();
        System.out.println("ready");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(server.command(line.split(" ")));
        }
        server.down();
    }

    private String command(String[] words) throws Exception {
        switch (words[0]) {
            case "down":
                down();
                return "down";
            case "up":
                up();
                return "up";
            default:
                return change(words);
        }
    }

    private synchronized String change(String[] words) {
        switch (words[0]) {
            case "forget":
                for (Map<String, Queue> queues : crawls.values()) {
                    for (Queue queue : queues.values()) {
                        queue.blockedUntil = -1;
                        queue.producedAt = 0;
                        queue.delay = DEFAULT_DELAY;
                        queue.urls.values().forEach(url -> url.heldUntil = 0);
                    }
                }
                return "forgotten";
            case "fault":
                Map<String, Map<String, Integer>> faults =
                        Map.of("unavailable", unavailable, "fail", failing, "break", breaking, "slow", slow);
                faults.get(words[1]).put(words[2], Integer.parseInt(words[3]));
                return "fault";
            case "calls":
                return calls.getOrDefault(words[1], 0).toString();
            case "delay":
                return Integer.toString(crawls.get(words[1]).get(words[2]).delay);
            case "block":
                return Long.toString(crawls.get(words[1]).get(words[2]).blockedUntil);
            default:
                throw new IllegalArgumentException("unknown command: " + String.join(" ", words));
        }
    }

    private void up() throws IOException {
        for (int number = 0; number < ports.length; number++) {
            servers.add(
                    Grpc.newServerBuilderForPort(ports[number], InsecureServerCredentials.create())
                            .addService(new Node(number))
                            .intercept(new Interceptor())
                            .build()
                            .start());
        }
    }

    private void down() throws InterruptedException {
        for (Server server : servers) {
            server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        }
        servers.clear();
    }

    private static long now() {
        Double now = NOW.get();
        return now == null ? System.currentTimeMillis() / 1000 : (long) Math.floor(now);
    }

    /** Reads the time of a call, and injects faults. */
    private final class Interceptor implements ServerInterceptor {
        @Override
        public <Q, R> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            String method = call.getMethodDescriptor().getBareMethodName();
            int milliseconds;
            synchronized (TestServer.this) {
                calls.merge(method, 1, Integer::sum);
                milliseconds = slow.getOrDefault(method, 0);
                int left = unavailable.getOrDefault(method, 0);
                if (left > 0) {
                    unavailable.put(method, left - 1);
                    call.close(Status.UNAVAILABLE.withDescription("injected fault"), new Metadata());
                    return new ServerCall.Listener<>() {};
                }
            }
            sleep(milliseconds);
            String now = headers.get(NOW_HEADER);
            Context context = now == null ? Context.current() : Context.current().withValue(NOW, Double.valueOf(now));
            return Contexts.interceptCall(context, call, headers, next);
        }
    }

    private static void sleep(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes on the messages of a call, until it breaks. */
    private final class Answers<R extends Message> {
        private final StreamObserver<R> observer;
        private int left;
        private boolean isBroken;

        Answers(String method, StreamObserver<R> observer) {
            this.observer = observer;
            Integer messages = breaking.remove(method);
            left = messages == null ? Integer.MAX_VALUE : messages;
        }

        void send(R message) {
            if (left-- > 0) {
                observer.onNext(message);
            } else if (!isBroken) {
                isBroken = true;
                observer.onError(Status.UNAVAILABLE.withDescription("injected break").asRuntimeException());
            }
        }

        void complete() {
            if (!isBroken) {
                observer.onCompleted();
            }
        }
    }

    private Queue find(String crawl, String key) {
        return crawls.getOrDefault(crawl, new LinkedHashMap<>()).get(key);
    }

    private static <R> void answer(StreamObserver<R> observer, R message) {
        observer.onNext(message);
        observer.onCompleted();
    }

    /** One node of the service. */
    private final class Node extends URLFrontierGrpc.URLFrontierImplBase {
        private final int number;

        Node(int number) {
            this.number = number;
        }

        private boolean owns(String key) {
            return Math.floorMod(key.hashCode(), ports.length) == number;
        }

        @Override
        public void getURLs(GetParams request, StreamObserver<URLInfo> observer) {
            synchronized (TestServer.this) {
                Answers<URLInfo> answers = new Answers<>("GetURLs", observer);
                LinkedHashMap<String, Queue> queues = crawls.getOrDefault(request.getCrawlID(), new LinkedHashMap<>());
                int found = 0;
                for (String key : new ArrayList<>(queues.keySet())) {
                    boolean isWanted = request.getKey().isEmpty() || request.getKey().equals(key);
                    if (isWanted && owns(key) && sendFrom(key, queues, request, answers)) {
                        found++;
                    }
                    if (request.getMaxQueues() > 0 && found == request.getMaxQueues()) {
                        break;
                    }
                }
                answers.complete();
            }
        }

        private boolean sendFrom(
                String key, LinkedHashMap<String, Queue> queues, GetParams request, Answers<URLInfo> answers) {
            long now = now();
            Queue queue = queues.get(key);
            int limit = request.getMaxUrlsPerQueue() == 0 ? Integer.MAX_VALUE : request.getMaxUrlsPerQueue();
            // The comparisons are those of the reference service: what is until a second is until its end.
            if (queue.blockedUntil >= now
                    || queue.producedAt + queue.delay >= now
                    || queue.inProcess(now) >= limit) {
                return false;
            }
            List<Scheduled> due = new ArrayList<>();
            for (Scheduled url : queue.urls.values()) {
                if (url.date <= now && url.heldUntil <= now) {
                    due.add(url);
                }
            }
            due.sort((first, second) -> Long.compare(first.date, second.date));
            int lease = request.getDelayRequestable() == 0 ? DEFAULT_LEASE : request.getDelayRequestable();
            for (Scheduled url : due.subList(0, Math.min(limit, due.size()))) {
                url.heldUntil = now + lease;
                answers.send(url.info);
            }
            if (due.isEmpty()) {
                return false;
            }
            queue.producedAt = now;
            queues.remove(key);
            queues.put(key, queue);
            return true;
        }

        @Override
        public StreamObserver<URLItem> putURLs(StreamObserver<AckMessage> observer) {
            Answers<AckMessage> answers;
            synchronized (TestServer.this) {
                answers = new Answers<>("PutURLs", observer);
            }
            return new StreamObserver<>() {
                @Override
                public void onNext(URLItem item) {
                    synchronized (TestServer.this) {
                        URLInfo info = item.hasKnown() ? item.getKnown().getInfo() : item.getDiscovered().getInfo();
                        String id = item.getID().isEmpty() ? info.getUrl() : item.getID();
                        answers.send(AckMessage.newBuilder().setID(id).setStatus(put(item, info)).build());
                    }
                }

                @Override
                public void onError(Throwable error) {}

                @Override
                public void onCompleted() {
                    answers.complete();
                }
            };
        }

        private AckMessage.Status put(URLItem item, URLInfo info) {
            int failures = failing.getOrDefault("PutURLs", 0);
            if (failures > 0) {
                failing.put("PutURLs", failures - 1);
                return AckMessage.Status.FAIL;
            }
            if (info.getKey().isEmpty() || info.getKey().length() > MAX_KEY) {
                return AckMessage.Status.SKIPPED;
            }
            Queue queue =
                    crawls.computeIfAbsent(info.getCrawlID(), crawl -> new LinkedHashMap<>())
                            .computeIfAbsent(info.getKey(), key -> new Queue());
            String url = info.getUrl();
            if (!item.hasKnown()) {
                if (queue.urls.containsKey(url) || queue.completed.containsKey(url)) {
                    return AckMessage.Status.SKIPPED;
                }
                queue.urls.put(url, new Scheduled(info, now()));
                return AckMessage.Status.OK;
            }
            queue.urls.remove(url);
            queue.completed.remove(url);
            long date = item.getKnown().getRefetchableFromDate();
            if (date == 0) {
                queue.completed.put(url, info);
            } else {
                queue.urls.put(url, new Scheduled(info, date));
            }
            return AckMessage.Status.OK;
        }

        @Override
        public void blockQueueUntil(BlockQueueParams request, StreamObserver<Empty> observer) {
            synchronized (TestServer.this) {
                Queue queue = find(request.getCrawlID(), request.getKey());
                if (queue != null) {
                    queue.blockedUntil = request.getTime();
                }
            }
            answer(observer, Empty.getDefaultInstance());
        }

        @Override
        public void setDelay(QueueDelayParams request, StreamObserver<Empty> observer) {
            synchronized (TestServer.this) {
                Queue queue = find(request.getCrawlID(), request.getKey());
                if (queue != null) {
                    queue.delay = request.getDelayRequestable();
                }
            }
            answer(observer, Empty.getDefaultInstance());
        }

        @Override
        public void getStats(QueueWithinCrawlParams request, StreamObserver<Stats> observer) {
            Stats.Builder stats = Stats.newBuilder().setCrawlID(request.getCrawlID());
            synchronized (TestServer.this) {
                long size = 0;
                long inProcess = 0;
                long completed = 0;
                long queues = 0;
                for (Map.Entry<String, Queue> entry :
                        crawls.getOrDefault(request.getCrawlID(), new LinkedHashMap<>()).entrySet()) {
                    if (request.getKey().isEmpty() || request.getKey().equals(entry.getKey())) {
                        Queue queue = entry.getValue();
                        size += queue.urls.size();
                        inProcess += queue.inProcess(now());
                        completed += queue.completed.size();
                        queues++;
                    }
                }
                stats.setSize(size).setInProcess((int) inProcess).setNumberOfQueues(queues);
                stats.putCounts("completed", completed);
            }
            answer(observer, stats.build());
        }

        @Override
        public void getURLStatus(URLStatusRequest request, StreamObserver<URLItem> observer) {
            URLItem item = null;
            synchronized (TestServer.this) {
                Queue queue = find(request.getCrawlID(), request.getKey());
                Scheduled scheduled = queue == null ? null : queue.urls.get(request.getUrl());
                URLInfo completed = queue == null ? null : queue.completed.get(request.getUrl());
                if (scheduled != null) {
                    item = known(scheduled.info, scheduled.date);
                } else if (completed != null) {
                    item = known(completed, 0);
                }
            }
            if (item == null) {
                observer.onError(Status.NOT_FOUND.asRuntimeException());
            } else {
                answer(observer, item);
            }
        }

        @Override
        public void listURLs(ListUrlParams request, StreamObserver<URLItem> observer) {
            List<URLItem> items = new ArrayList<>();
            synchronized (TestServer.this) {
                for (Map.Entry<String, Queue> entry :
                        crawls.getOrDefault(request.getCrawlID(), new LinkedHashMap<>()).entrySet()) {
                    if (request.getKey().isEmpty() || request.getKey().equals(entry.getKey())) {
                        Queue queue = entry.getValue();
                        queue.urls.values().forEach(url -> items.add(known(url.info, url.date)));
                        queue.completed.values().forEach(info -> items.add(known(info, 0)));
                    }
                }
            }
            int size = request.getSize() == 0 ? 100 : request.getSize();
            items.stream().skip(request.getStart()).limit(size).forEach(observer::onNext);
            observer.onCompleted();
        }

        private URLItem known(URLInfo info, long date) {
            return URLItem.newBuilder()
                    .setKnown(KnownURLItem.newBuilder().setInfo(info).setRefetchableFromDate(date))
                    .build();
        }
    }
}
