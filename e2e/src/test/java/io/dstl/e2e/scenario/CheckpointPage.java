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
package io.dstl.e2e.scenario;

import io.dstl.harness.rest.JobSubmission.JobId;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The checkpoint page of Flink's web UI, in a headless Chromium. Owns the browser. */
final class CheckpointPage implements AutoCloseable {
    static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final WebDriver browser;
    private final WebDriverWait wait;

    CheckpointPage(URI ui, JobId job, Path profile) {
        browser = new ChromeDriver(driver(), options(profile));
        wait = new WebDriverWait(browser, LIMIT);
        wait.ignoring(WebDriverException.class);
        try {
            browser.get(ui + "/#/job/completed/" + job + "/checkpoints");
        } catch (RuntimeException e) {
            browser.quit();
            throw e;
        }
    }

    /** Whether this machine has the browser and its driver. */
    static boolean available() {
        return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
    }

    /**
     * The Summary tab: for each percentile its row, cell by cell, after the row's name.
     *
     * <p>The page draws them once the job is loaded, and shows them once their panel is unfolded.
     */
    Map<String, List<String>> percentiles() {
        return wait.until(
                page -> {
                    // The page may draw its tabs anew under the first click, and its rows later.
                    page.findElement(tab("Summary")).click();
                    unfold(page.findElement(panel("Percentiles")));
                    return page.findElement(row("99.9% percentile")).isDisplayed()
                            ? rows(page)
                            : null;
                });
    }

    private static Map<String, List<String>> rows(WebDriver page) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        for (WebElement row : page.findElements(By.xpath("//tr[td[contains(., 'percentile')]]"))) {
            List<String> cells =
                    row.findElements(By.tagName("td")).stream()
                            .map(cell -> cell.getText().trim())
                            .collect(Collectors.toList());
            rows.put(cells.get(0), cells.subList(1, cells.size()));
        }
        return rows;
    }

    @Override
    public void close() {
        browser.quit();
    }

    private static By tab(String name) {
        return By.xpath("//*[@role='tab'][normalize-space()='" + name + "']");
    }

    private static By panel(String name) {
        return By.xpath(
                "//*[contains(@class, 'ant-collapse-header')][normalize-space()='" + name + "']");
    }

    /** A second click would fold it again. */
    private static void unfold(WebElement panel) {
        if (!"true".equals(panel.getDomAttribute("aria-expanded"))) {
            panel.click();
        }
    }

    private static By row(String name) {
        return By.xpath("//tr/td[normalize-space()='" + name + "']");
    }

    private static ChromeDriverService driver() {
        return new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort()
                .withTimeout(LIMIT)
                .build();
    }

    private static ChromeOptions options(Path profile) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments(
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--window-size=1400,1000",
                "--user-data-dir=" + profile);
        return options;
    }
}
