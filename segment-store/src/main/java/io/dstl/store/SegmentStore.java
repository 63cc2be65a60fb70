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
package io.dstl.store;

/**
 * Keeps segments: whole immutable objects, each stored under a name.
 *
 * <p><b>Threading.</b> Any thread. {@link #put} returns at once; opening and deleting block for
 * I/O, so they are not for the task thread while it processes records.
 *
 * <p><b>Ordering.</b> None between puts. A segment can be opened, by any process, once the future
 * of its put has succeeded.
 */
public interface SegmentStore extends SegmentWriter, SegmentOpener, SegmentDeletion {}
