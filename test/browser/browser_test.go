package browser

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// root is the checkout that is tested.
const root = "../.."

// rung runs the program in the checkout and returns what it prints. Exit codes 0 to 2 are answers.
func rung(t *testing.T, args ...string) string {
	t.Helper()
	binary := os.Getenv("RUNG_BINARY")
	if binary == "" {
		binary = filepath.Join(root, "bin", "rung")
	}
	path, err := filepath.Abs(binary)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "KUBECONFIG=/dev/null")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); err != nil && (code < 1 || code > 2 || len(out) == 0) {
		t.Fatalf("rung %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// tab is a page of the browser, with everything that went wrong there and all that it asked for.
type tab struct {
	context.Context
	t *testing.T

	mu       sync.Mutex
	troubles []string
	requests []string
}

// open shows a file in a browser of its own.
func open(t *testing.T, file string, width, height int, dark bool) *tab {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("RUNG_REQUIRE_SERVERS") == "1" {
			t.Fatal("no chromium: install it (Debian: chromium)")
		}
		t.Skip("no chromium (Debian: chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	b := &tab{t: t}
	ctx, end = chromedp.NewContext(ctx, chromedp.WithListener(b.note))
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(end)
	b.Context = ctx
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(int64(width), int64(height)))
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: abs}).String()), chromedp.WaitReady(chromedp.CSS("main")))
	return b
}

func (b *tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.troubles = append(b.troubles, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.troubles = append(b.troubles, string(e.Entry.Level)+": "+e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.troubles = append(b.troubles, "console."+string(e.Type))
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// call asks the browser for something.
func call[P, R any](b *tab, what cdp.Command[P, R], params P) R {
	b.t.Helper()
	out, err := chromedp.Call(b, what, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// eval runs a script in the page and returns its value.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	out, err := chromedp.Run(b, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// checkQuiet says what went wrong in the page, and what it asked for besides itself.
func (b *tab) checkQuiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.troubles {
		b.t.Errorf("the page reports %s", text)
	}
	if len(b.requests) != 1 {
		b.t.Errorf("the page asked for %q, want itself alone", b.requests)
	}
}
