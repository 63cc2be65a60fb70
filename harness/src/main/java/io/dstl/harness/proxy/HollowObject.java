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
package io.dstl.harness.proxy;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/**
 * An object that only its name tells of: whoever asks the proxy for it learns that it is there, and
 * its deletion succeeds, but no store has it. So a JobManager can delete what a simulated
 * TaskManager says that it has written, request by request, and nobody has to write it.
 */
public final class HollowObject {
    /** What the last part of its key begins with. */
    public static final String PREFIX = "hollow-";

    /** Whatever it is made of: nobody reads it. */
    private static final int BYTES = 1;

    private HollowObject() {}

    static boolean names(HttpServletRequest request) {
        String path = request.getRequestURI();
        return path.startsWith(PREFIX, path.lastIndexOf('/') + 1);
    }

    /** As S3 answers; a read, which needs the content, finds none. */
    static void answer(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        request.getInputStream().transferTo(OutputStream.nullOutputStream());
        switch (request.getMethod().toUpperCase(Locale.ROOT)) {
            case "HEAD":
                response.setStatus(HttpServletResponse.SC_OK);
                response.setContentLength(BYTES);
                response.setContentType("application/octet-stream");
                response.setDateHeader("Last-Modified", 0);
                response.setHeader("ETag", "\"" + "0".repeat(32) + "\"");
                break;
            case "PUT":
                response.setStatus(HttpServletResponse.SC_OK);
                response.setHeader("ETag", "\"" + "0".repeat(32) + "\"");
                break;
            case "DELETE":
                response.setStatus(HttpServletResponse.SC_NO_CONTENT);
                break;
            default:
                response.setStatus(HttpServletResponse.SC_NOT_FOUND);
                break;
        }
    }
}
