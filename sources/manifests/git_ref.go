package manifests

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"rung/model/words"
)

// Ref names a folder or file of a revision.
type Ref struct {
	Rev string
	// Path is relative to the repository's root or, with ./ or ../, to the working folder; empty for all.
	Path string
}

// isRelative reports whether the path is relative to the working folder.
func (r Ref) isRelative() bool {
	return r.Path == "." || r.Path == ".." || strings.HasPrefix(r.Path, "./") || strings.HasPrefix(r.Path, "../")
}

// ParseRef reads REV[:PATH]. The first colon outside braces ends the revision, as for git.
func ParseRef(text string) (Ref, error) {
	depth := 0
	end := strings.IndexFunc(text, func(c rune) bool {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		}
		return c == ':' && depth == 0
	})
	r := Ref{Rev: text}
	if end >= 0 {
		r = Ref{text[:end], text[end+1:]}
	}
	switch {
	case !words.IsClean(text):
		return r, fmt.Errorf("%s: control characters in the name of a revision", words.CleanText(GitPrefix+text))
	case r.Rev == "":
		return r, errors.New(GitPrefix + text + " names no revision: want git:REV or git:REV:PATH")
	case strings.HasPrefix(r.Rev, "-"):
		return r, errors.New(GitPrefix + text + ": the name of a revision does not begin with -")
	case strings.HasPrefix(r.Path, "/"):
		return r, errors.New(GitPrefix + text + ": the path in a revision is relative to the repository, or with ./ to this folder")
	}
	return r, nil
}

// placed returns the path from the repository's root, "." for everything; prefix is the working folder's.
func (r Ref) placed(prefix string) (string, error) {
	p := r.Path
	if r.isRelative() {
		p = path.Join(prefix, p)
	}
	p = path.Clean("./" + p)
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", errors.New("the path leaves the repository")
	}
	return p, nil
}
