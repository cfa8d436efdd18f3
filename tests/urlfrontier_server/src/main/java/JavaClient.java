import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import crawlercommons.urlfrontier.URLFrontierGrpc;
import crawlercommons.urlfrontier.Urlfrontier;
import crawlercommons.urlfrontier.Urlfrontier.AckMessage;
import crawlercommons.urlfrontier.Urlfrontier.DiscoveredURLItem;
import crawlercommons.urlfrontier.Urlfrontier.KnownURLItem;
import crawlercommons.urlfrontier.Urlfrontier.URLInfo;
import crawlercommons.urlfrontier.Urlfrontier.URLItem;
import crawlercommons.urlfrontier.Urlfrontier.URLStatusRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A client on the published Java package: another crawler that shares a crawl.
 *
 * <p>Usage: {@code JavaClient ADDRESS CRAWL put URL...} adds URLs, {@code JavaClient ADDRESS CRAWL status URL...} prints
 * `completed`, `scheduled` or `unknown` for each, and {@code JavaClient schema} prints all messages and methods of the
 * package. The key of a URL is its origin.
 */
public final class JavaClient {
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("schema")) {
            printSchema();
            return;
        }
        ManagedChannel channel =
                Grpc.newChannelBuilder(arguments[0], InsecureChannelCredentials.create()).build();
        List<String> urls = Arrays.asList(arguments).subList(3, arguments.length);
        if (arguments[2].equals("put")) {
            put(channel, arguments[1], urls);
        } else {
            for (String url : urls) {
                System.out.println(url + " " + status(channel, arguments[1], url));
            }
        }
        channel.shutdownNow();
    }

    private static String origin(String url) {
        int end = url.indexOf('/', url.indexOf("://") + 3);
        return end < 0 ? url : url.substring(0, end);
    }

    private static void put(ManagedChannel channel, String crawl, List<String> urls) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        StreamObserver<URLItem> items =
                URLFrontierGrpc.newStub(channel)
                        .putURLs(
                                new StreamObserver<>() {
                                    @Override
                                    public void onNext(AckMessage ack) {
                                        System.out.println(ack.getID() + " " + ack.getStatus());
                                    }

                                    @Override
                                    public void onError(Throwable error) {
                                        error.printStackTrace();
                                        ended.countDown();
                                    }

                                    @Override
                                    public void onCompleted() {
                                        ended.countDown();
                                    }
                                });
        for (String url : urls) {
            URLInfo info = URLInfo.newBuilder().setUrl(url).setKey(origin(url)).setCrawlID(crawl).build();
            items.onNext(
                    URLItem.newBuilder().setID(url).setDiscovered(DiscoveredURLItem.newBuilder().setInfo(info)).build());
        }
        items.onCompleted();
        ended.await();
    }

    private static String status(ManagedChannel channel, String crawl, String url) {
        try {
            KnownURLItem known =
                    URLFrontierGrpc.newBlockingStub(channel)
                            .getURLStatus(
                                    URLStatusRequest.newBuilder()
                                            .setUrl(url)
                                            .setKey(origin(url))
                                            .setCrawlID(crawl)
                                            .build())
                            .getKnown();
            return known.getRefetchableFromDate() == 0 ? "completed" : "scheduled";
        } catch (StatusRuntimeException error) {
            return "unknown";
        }
    }

    private static void printSchema() {
        for (Descriptor message : Urlfrontier.getDescriptor().getMessageTypes()) {
            printMessage(message);
        }
        for (MethodDescriptor method : Urlfrontier.getDescriptor().getServices().get(0).getMethods()) {
            System.out.printf(
                    "%s %s %b %s %b%n",
                    method.getFullName(),
                    method.getInputType().getFullName(),
                    method.isClientStreaming(),
                    method.getOutputType().getFullName(),
                    method.isServerStreaming());
        }
    }

    private static void printMessage(Descriptor message) {
        System.out.println(message.getFullName());
        for (FieldDescriptor field : message.getFields()) {
            System.out.printf(
                    "%s.%s %d %s %b %s %s%n",
                    message.getFullName(),
                    field.getName(),
                    field.getNumber(),
                    field.getType().toString().toLowerCase(),
                    field.isRepeated(),
                    typeName(field),
                    field.getContainingOneof() == null ? "-" : field.getContainingOneof().getName());
            if (field.getType() == FieldDescriptor.Type.ENUM) {
                for (EnumValueDescriptor value : field.getEnumType().getValues()) {
                    System.out.printf("%s.%s %d%n", field.getEnumType().getFullName(), value.getName(), value.getNumber());
                }
            }
        }
        message.getNestedTypes().forEach(JavaClient::printMessage);
    }

    private static String typeName(FieldDescriptor field) {
        switch (field.getType()) {
            case MESSAGE:
                return field.getMessageType().getFullName();
            case ENUM:
                return field.getEnumType().getFullName();
            default:
                return "-";
        }
    }
}
