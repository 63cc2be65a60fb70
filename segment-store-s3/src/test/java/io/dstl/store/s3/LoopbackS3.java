/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dstl.store.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * As much of S3 as one client's four requests need, in this JVM: so that a test can count them,
 * look at their headers and have them answered otherwise.
 */
final class LoopbackS3 implements AutoCloseable {

    /** Answers a request in the place of the store. */
    interface Answer {
        void give(HttpExchange exchange) throws IOException;

        /** Which also tells where the bucket is. */
        default Answer inRegion(String region) {
            return exchange -> {
                exchange.getResponseHeaders().add("x-amz-bucket-region", region);
                give(exchange);
            };
        }
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
    private final List<Map<String, List<String>>> headers =
            Collections.synchronizedList(new ArrayList<>());
    private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();
    private final List<byte[]> lists = Collections.synchronizedList(new ArrayList<>());
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();

    LoopbackS3() {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            server = HttpServer.create(free, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Method and path, in the order in which they came. */
    List<String> requests() {
        return new ArrayList<>(requests);
    }

    Map<String, List<String>> headers(int request) {
        return headers.get(request);
    }

    /** How many there were that a request came by. */
    int connections() {
        return connections.size();
    }

    /** By path, bucket included. */
    Map<String, byte[]> objects() {
        return objects;
    }

    /** The next request gets this answer, before those that have been added later. */
    void next(Answer answer) {
        answers.add(answer);
    }

    void next(int times, Answer answer) {
        for (int i = 0; i < times; i++) {
            next(answer);
        }
    }

    /** What no request has come for is answered by the store. */
    void clearNext() {
        answers.clear();
    }

    static Answer error(int status, String code) {
        return answer(
                status,
                "<Error><Code>"
                        + code
                        + "</Code><Message>as told</Message>"
                        + "<AWSAccessKeyId>AKIDSECRET</AWSAccessKeyId></Error>");
    }

    static Answer answer(int status, String text) {
        return exchange -> {
            exchange.getRequestBody().readAllBytes();
            send(exchange, status, text);
        };
    }

    /** Of which these bytes come, and no more of its length. */
    static Answer cutOff(int status, long length, byte[] bytes) {
        return exchange -> {
            exchange.sendResponseHeaders(status, length);
            exchange.getResponseBody().write(bytes);
            exchange.getResponseBody().flush();
        };
    }

    /** What the store answers, as soon as the latch is open. */
    Answer serveAfter(CountDownLatch latch) {
        return exchange -> {
            await(latch);
            serve(exchange);
        };
    }

    static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
            headers.add(exchange.getRequestHeaders());
            connections.add(exchange.getRemoteAddress());
            Answer answer = answers.poll();
            if (answer == null) {
                serve(exchange);
            } else {
                answer.give(exchange);
            }
        } finally {
            exchange.close();
        }
    }

    void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        byte[] body = exchange.getRequestBody().readAllBytes();
        switch (exchange.getRequestMethod()) {
            case "PUT":
                objects.put(path, body);
                exchange.getResponseHeaders().add("ETag", "\"" + Arrays.hashCode(body) + "\"");
                exchange.sendResponseHeaders(200, -1);
                break;
            case "DELETE":
                objects.remove(path);
                exchange.sendResponseHeaders(204, -1);
                break;
            case "POST":
                deleteAll(exchange, path, body);
                break;
            case "GET":
                read(exchange, objects.get(path));
                break;
            default:
                send(exchange, 405, "<Error><Code>MethodNotAllowed</Code></Error>");
        }
    }

    private void deleteAll(HttpExchange exchange, String bucket, byte[] list) throws IOException {
        lists.add(list);
        StringBuilder deleted = new StringBuilder();
        for (String key : keys(list)) {
            objects.remove(bucket + "/" + key);
            deleted.append("<Deleted><Key>").append(escaped(key)).append("</Key></Deleted>");
        }
        send(exchange, 200, deleteResult(deleted.toString()));
    }

    /** The answer to a request that deletes several. */
    static String deleteResult(String content) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
                + "<DeleteResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + content
                + "</DeleteResult>";
    }

    /** What requests to delete several have sent. */
    List<byte[]> lists() {
        return lists;
    }

    private static List<String> keys(byte[] list) throws IOException {
        try {
            NodeList found =
                    DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(new ByteArrayInputStream(list))
                            .getElementsByTagName("Key");
            List<String> keys = new ArrayList<>();
            for (int i = 0; i < found.getLength(); i++) {
                keys.add(found.item(i).getTextContent());
            }
            return keys;
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(e);
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static void read(HttpExchange exchange, byte[] object) throws IOException {
        String range = exchange.getRequestHeaders().getFirst("Range");
        if (object == null) {
            send(exchange, 404, "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>");
            return;
        }
        int from = range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=(\\d+)-.*", "$1"));
        String last = range == null ? "" : range.replaceAll("bytes=\\d+-", "");
        int end = last.isEmpty() ? object.length : Integer.parseInt(last) + 1;
        if (from > 0 && from >= object.length) {
            send(exchange, 416, "<Error><Code>InvalidRange</Code></Error>");
            return;
        }
        send(
                exchange,
                range == null ? 200 : 206,
                Arrays.copyOfRange(object, from, Math.min(end, object.length)));
    }

    private static void send(HttpExchange exchange, int status, String xml) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/xml");
        send(exchange, status, xml.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
