package acllog

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"rung/model/words"
	"rung/sources/files"
)

// Endings of the names of rotated parts, and dates within names.
var (
	rotatedName = regexp.MustCompile(`^(?s:(.+)\.[0-9T:_-]+|(.*[^0-9T:_-])` + dateInName + `)$`)
	datedName   = regexp.MustCompile(`^(?s:(.*[^0-9T:_-])` + dateInName + `)(\.[^.]*)$`)
)

const dateInName = `-(?:\d{8}|\d{4}-\d\d-\d\d)[0-9T:_-]*`

// logName returns the log that a file is a rotated part of, else the path itself: acl.log for acl.log.1,
// acl.log.2.gz, acl.log-20240609 and acl-20240609.log.
func logName(path string) string {
	dir, name := filepath.Split(path)
	name = rotatedName.ReplaceAllString(strings.TrimSuffix(name, ".gz"), "$1$2")
	return dir + datedName.ReplaceAllString(name, "$1$2")
}

// siblingsMost bounds the rotated parts of a log.
const siblingsMost = 64

// rotatedParts returns the rotated parts beside a log, newest first, without compressed copies of other parts.
func rotatedParts(path string) (out []string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the kubelet's links lead elsewhere
	}
	path = filepath.Clean(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	at := map[string]time.Time{}
	for _, e := range entries {
		p := filepath.Join(filepath.Dir(path), e.Name())
		if p == path || logName(p) != path || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil {
			at[p] = info.ModTime()
		}
	}
	for p := range at {
		if plain, isZip := strings.CutSuffix(p, ".gz"); !isZip || at[plain].IsZero() {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(at[b].Compare(at[a]), strings.Compare(a, b)) })
	return out[:min(len(out), siblingsMost)]
}

// LinePlace is the origin of lines, from a path; unknown fields are empty.
type LinePlace struct{ Node, Namespace, Pod, Container string }

// ParsePlace reads the folder names of must-gather, of the kubelet and of dumps by node:
//
//	…/namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/current.log
//	/var/log/pods/NS_POD_UID/CONTAINER/0.log
//	/var/log/containers/POD_NS_CONTAINER-ID.log
//	…/nodes/NODE/…
//
// A pod's node comes from the file POD.yaml in the same must-gather.
func ParsePlace(path string) (p LinePlace) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	for i, dir := range parts[:len(parts)-1] {
		next := parts[i+1]
		last := i+1 == len(parts)-1
		switch {
		case dir == "namespaces" && !last:
			p.Namespace = next
		case dir == "nodes" && !last:
			p.Node = next
		case dir == "containers" && last:
			pod, rest, ok := strings.Cut(next, "_")
			ns, container, ok2 := strings.Cut(rest, "_")
			if id := strings.LastIndexByte(container, '-'); ok && ok2 && id > 0 {
				p = LinePlace{p.Node, ns, pod, container[:id]}
			}
		case dir == "pods" && !last:
			if f := strings.Split(next, "_"); len(f) == 3 {
				p.Namespace, p.Pod = f[0], f[1]
			} else {
				p.Pod = next
			}
			if i+3 < len(parts) {
				p.Container = parts[i+2]
			}
			if p.Node == "" {
				folder := filepath.FromSlash(strings.Join(parts[:i+2], "/"))
				p.Node = nodeName(filepath.Join(folder, next+".yaml"))
			}
		}
	}
	return LinePlace{words.CleanText(p.Node), words.CleanText(p.Namespace), words.CleanText(p.Pod), words.CleanText(p.Container)}
}

// nodeName returns the node of a pod, from its manifest in a must-gather.
func nodeName(path string) string {
	const most = 1 << 20
	f, err := files.OpenRegular(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(io.LimitReader(f, most)); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "  nodeName: "); ok {
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}
