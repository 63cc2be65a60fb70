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
package io.dstl.store.s3.xml;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of a small XML document in a service's answer: its name, its text and its child
 * elements, without attributes and prefixes of names. Immutable.
 *
 * <p>Text is taken as written: the service is not trusted to have text replaced. A document with a
 * document type, and so with its own entities, is refused.
 */
public final class XmlElement {

    /** The answers of S3 and STS need four. */
    private static final int MAX_DEPTH = 16;

    private final String name;
    private final String text;
    private final List<XmlElement> children;

    private XmlElement(String name, String text, List<XmlElement> children) {
        this.name = name;
        this.text = text;
        this.children = children;
    }

    /**
     * @param document whole; the caller has limited its length
     * @throws IOException if it is not well-formed, has a document type, or is nested too deeply;
     *     without any of its content
     */
    public static XmlElement parse(String document) throws IOException {
        try {
            XMLStreamReader reader = factory().createXMLStreamReader(new StringReader(document));
            try {
                XmlElement root = null;
                while (reader.hasNext()) {
                    int event = reader.next();
                    check(event);
                    if (event == XMLStreamConstants.START_ELEMENT) {
                        root = read(reader, 1);
                    }
                }
                if (root == null) {
                    throw new IOException("An XML document without an element");
                }
                return root;
            } finally {
                reader.close();
            }
        } catch (XMLStreamException | RuntimeException e) {
            // Their texts repeat parts of the document.
            throw new IOException("Not a well-formed XML document");
        }
    }

    /** The JDK's own, whatever else is in {@code lib/}: its properties are known. */
    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        factory.setXMLResolver(
                (publicId, systemId, base, namespace) -> {
                    throw new XMLStreamException("An answer may refer to nothing");
                });
        return factory;
    }

    private static void check(int event) throws IOException {
        if (event == XMLStreamConstants.DTD || event == XMLStreamConstants.ENTITY_REFERENCE) {
            throw new IOException("An XML document with a document type or an entity");
        }
    }

    /** Reads from after the start of the element to its end. */
    private static XmlElement read(XMLStreamReader reader, int depth)
            throws IOException, XMLStreamException {
        if (depth > MAX_DEPTH) {
            throw new IOException("An XML document nested deeper than " + MAX_DEPTH);
        }
        String name = reader.getLocalName();
        StringBuilder text = new StringBuilder();
        List<XmlElement> children = new ArrayList<>();
        for (int event = reader.next();
                event != XMLStreamConstants.END_ELEMENT;
                event = reader.next()) {
            check(event);
            if (event == XMLStreamConstants.START_ELEMENT) {
                children.add(read(reader, depth + 1));
            } else if (reader.hasText() && event != XMLStreamConstants.COMMENT) {
                text.append(reader.getText());
            }
        }
        return new XmlElement(name, text.toString(), children);
    }

    public String name() {
        return name;
    }

    /** The element's own text, without that of its child elements. */
    public String text() {
        return text;
    }

    /** Its child elements of this name, in their order. */
    public List<XmlElement> all(String childName) {
        return children.stream()
                .filter(child -> child.name.equals(childName))
                .collect(Collectors.toList());
    }

    /** The first child element of this name. */
    public Optional<XmlElement> child(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).findFirst();
    }

    /** The text of the first child element of this name; empty if there is none. */
    public String childText(String childName) {
        return child(childName).map(XmlElement::text).orElse("");
    }
}
