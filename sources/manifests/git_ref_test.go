package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model/words"
)

// A revision ends where it does for git, and what is none is refused before git sees it.
func TestParseRef(t *testing.T) {
	for _, tt := range []struct{ text, rev, path, wrong string }{
		{"main", "main", "", ""},
		{"main:", "main", "", ""},
		{"v1:shop/a.yaml", "v1", "shop/a.yaml", ""},
		{"HEAD~2:./shop", "HEAD~2", "./shop", ""},
		{"HEAD^{/fix: shop}:shop", "HEAD^{/fix: shop}", "shop", ""},
		{"main@{2026-01-02 03:04:05}:shop:x", "main@{2026-01-02 03:04:05}", "shop:x", ""},
		{"a}b:c", "a}b", "c", ""},
		{"", "", "", "git: names no revision: want git:REV or git:REV:PATH"},
		{":/fix", "", "/fix", "git::/fix names no revision: want git:REV or git:REV:PATH"},
		{"--help", "--help", "", "git:--help: the name of a revision does not begin with -"},
		{"a\nb", "a\nb", "", "git:a�b: control characters in the name of a revision"},
		{"a\x00", "a\x00", "", "git:a�: control characters in the name of a revision"},
		{"main:/etc", "main", "/etc", "git:main:/etc: the path in a revision is relative to the repository, or with ./ to this folder"},
	} {
		got, err := ParseRef(tt.text)
		wrong := ""
		if err != nil {
			wrong = err.Error()
		}
		if diff := cmp.Diff([]string{tt.rev, tt.path, tt.wrong}, []string{got.Rev, got.Path, wrong}); diff != "" {
			t.Errorf("%q: -want +got\n%s", tt.text, diff)
		}
	}
}

func TestPlaced(t *testing.T) {
	for _, tt := range []struct{ path, prefix, want string }{
		{"", "sub/", "."}, {"shop/", "sub/", "shop"}, {"./shop", "sub/", "sub/shop"}, {"../shop", "sub/", "shop"},
		{".", "sub/", "sub"}, {"./", "", "."}, {"../../shop", "sub/", ""}, {"shop/../..", "", ""}, {"..", "", ""},
	} {
		got, err := Ref{Rev: "main", Path: tt.path}.placed(tt.prefix)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%q in %q: %q, %v, want %q", tt.path, tt.prefix, got, err, tt.want)
		}
	}
}

// FuzzParseRef: a revision that is taken is one line and no option, it is the same when it is read
// again, and its path stays in the repository.
func FuzzParseRef(f *testing.F) {
	for _, seed := range []string{"main", "v1:shop", "HEAD^{/a: b}:./c", "--x", ":", "a\nb:c", "main:../../x", "{:}"} {
		f.Add(seed, "sub/")
	}
	f.Fuzz(func(t *testing.T, text, prefix string) {
		r, err := ParseRef(text)
		if err != nil {
			if !words.IsClean(err.Error()) {
				t.Errorf("%q: the error is not clean: %q", text, err)
			}
			return
		}
		if r.Rev == "" || r.Rev[0] == '-' || strings.ContainsAny(text, "\n\x00") {
			t.Errorf("%q is taken as the revision %q", text, r.Rev)
		}
		written := r.Rev
		if r.Path != "" {
			written += ":" + r.Path
		}
		if again, err := ParseRef(written); err != nil || again != r {
			t.Errorf("%q: %v, again %v, %v", text, r, again, err)
		}
		if at, err := r.placed(prefix); err == nil && (at == "" || at[0] == '/' && r.Path == "" || at == ".." || strings.HasPrefix(at, "../")) {
			t.Errorf("%q in %q is at %q", text, prefix, at)
		}
	})
}
