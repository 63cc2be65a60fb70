/**
 * {@code inspect}: who writes how much log, how much of it is void, and what a materialization would
 * save. Called by the command line.
 */
package io.dstl.tools.inspect;
