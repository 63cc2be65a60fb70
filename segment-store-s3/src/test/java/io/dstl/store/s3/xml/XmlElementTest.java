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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XmlElementTest {

    @Test
    void readsNamesTextsAndChildren() throws Exception {
        XmlElement root =
                XmlElement.parse(
                        "<?xml version=\"1.0\"?><!-- a --><r xmlns=\"x\"> <a>1<!-- b -->2</a>"
                                + "<p:b xmlns:p=\"y\"><c>&lt;&#65;<![CDATA[<&]]></c></p:b>"
                                + "<a>3</a></r>");

        assertThat(root.name()).isEqualTo("r");
        assertThat(root.all("a")).extracting(XmlElement::text).containsExactly("12", "3");
        assertThat(root.childText("a")).isEqualTo("12");
        assertThat(root.child("b").get().childText("c")).isEqualTo("<A<&");
        assertThat(root.childText("none")).isEmpty();
        assertThat(root.child("c")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SECRET",
                "<SECRET",
                "<a>SECRET</b>",
                "<a/><SECRET/>",
                "<a>&SECRET;</a>",
                "<!DOCTYPE SECRET><a/>",
                "<!DOCTYPE a [<!ENTITY e \"SECRET\">]><a>&e;</a>",
                "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>",
                "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/SECRET\"><a/>",
                "<a>\u0001SECRET</a>"
            })
    void refusesAllElseWithoutRepeatingIt(String document) {
        assertThatThrownBy(() -> XmlElement.parse(document))
                .isInstanceOf(IOException.class)
                .hasNoCause()
                .hasMessageNotContaining("SECRET");
    }

    @Test
    void refusesDeepNesting() throws Exception {
        assertThat(XmlElement.parse("<a>".repeat(16) + "</a>".repeat(16)).name()).isEqualTo("a");
        assertThatThrownBy(() -> XmlElement.parse("<a>".repeat(100_000)))
                .hasMessageContaining("deeper than 16");
    }
}
