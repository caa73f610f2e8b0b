package kustomize

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every form in which kustomize would fetch something is known, and no path of a repository is one.
func TestIsRemote(t *testing.T) {
	for _, entry := range []string{"https://example.com/a.yaml", "HTTP://example.com/a", "ssh://git@example.com/a", "file:///tmp/a", "git::https://example.com/a",
		"git@github.com:a/b", "github.com/a/b", "GitHub.com/a/b?ref=v1", "gh:a/b", "user@host:a/b", "host.example.com:a/b", " https://example.com/a"} {
		if !isRemote(entry) {
			t.Errorf("%q is taken for a path", entry)
		}
	}
	for _, entry := range []string{"a.yaml", "../base", "./a@b.yaml/c", "deep/git@x", "/etc/a.yaml", "metadata/labels", "a/b:c"} {
		if isRemote(entry) {
			t.Errorf("%q is taken for something remote", entry)
		}
	}
}

// A link does not lead out of a kustomization, and rendering ends with its context.
func TestRender(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("out.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n")
	write("shop/kustomization.yaml", "resources: [link.yaml]\n")
	shop := filepath.Join(dir, "shop")
	if err := os.Symlink("../out.yaml", filepath.Join(shop, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if text, err := Render(t.Context(), shop, 1<<20); err == nil {
		t.Errorf("a link that leaves: %q", text)
	}
	write("shop/kustomization.yaml", "resources: [in.yaml]\nnamePrefix: eu-\n")
	write("shop/in.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	text, err := Render(t.Context(), shop, 1<<20)
	if want := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: eu-a\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if _, err := Render(t.Context(), shop, 10); err == nil {
		t.Error("more than the limit is rendered")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Render(ctx, shop, 1<<20); !errors.Is(err, context.Canceled) && err != nil {
		t.Errorf("after the end: %v", err)
	}
}

// FuzzExamine: whatever a kustomization holds, it is refused or not, and ends.
func FuzzExamine(f *testing.F) {
	for _, seed := range []string{"resources: [a]", "bases: [https://x]", "x: &a [*a]", "generators:\n- |\n  path: http://x", "["} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = (&examiner{seen: map[string]bool{}}).examineText(dir, "kustomization.yaml", text)
	})
}
