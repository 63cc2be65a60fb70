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
package io.dstl.bench.micro;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What is measured, as the command line has it; the defaults are the smallest that mean anything.
 */
@State(Scope.Benchmark)
public class Scene {
    @Param("true")
    public boolean changelog;

    @Param("value")
    public String kind;

    @Param("long")
    public String serializer;

    @Param("uniform")
    public String workload;

    @Param("false")
    public boolean compressed;

    @Param("200000")
    public int keys;

    /** Updates between two checkpoints. */
    @Param("30000")
    public int interval;

    /** Checkpoints of a few updates each, taken before anything is timed. */
    @Param("1000")
    public int rehearsals;

    /** Updates that are timed together. */
    @Param("150000")
    public int batch;

    /** Updates that a replay goes through. */
    @Param("300000")
    public int changes;
}
