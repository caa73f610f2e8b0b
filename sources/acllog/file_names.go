package acllog

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rung/model/words"
	"rung/sources/files"
)

// logNameOf is the name of the log that a file is a rotated part of, and the name itself for
// one that is none: acl.log for acl.log.1, acl.log.2.gz, acl.log-20240609 and
// acl-20240609.log.
func logNameOf(path string) string {
	dir, name := filepath.Split(path)
	name = strings.TrimSuffix(name, ".gz")
	name = stripDate(name)
	if ext := filepath.Ext(name); ext != "" {
		stem := strings.TrimSuffix(name, ext)
		if s := stripDate(stem); len(s) < len(stem) && stem[len(s)] == '-' {
			name = s + ext
		}
	}
	return dir + name
}

// stripDate takes off a number or a date: .1, -20240609, .20240609-190010.
func stripDate(name string) string {
	i := len(name)
	for i > 0 && strings.IndexByte("0123456789T:_-", name[i-1]) >= 0 {
		i--
	}
	digits := name[i:]
	switch {
	case digits == "" || i == 0:
		return name
	case name[i-1] == '.' && i > 1:
		return name[:i-1]
	case digits[0] == '-' && isDate(digits[1:]):
		return name[:i]
	}
	return name
}

// isDate says whether digits begin with a date: 20240609, 2024-06-09.
func isDate(digits string) bool {
	if len(digits) >= 10 && digits[4] == '-' && digits[7] == '-' {
		digits = digits[:4] + digits[5:7] + digits[8:]
	}
	return len(digits) >= 8 && strings.IndexFunc(digits[:8], func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// siblingsMost bounds the rotated parts that are looked at.
const siblingsMost = 64

// rotatedParts are the rotated parts of a log beside it, the newest first.
func rotatedParts(path string) (out []string) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the kubelet's links lead elsewhere
	}
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	type sibling struct {
		path string
		at   int64
	}
	var all []sibling
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		if p == filepath.Clean(path) || logNameOf(p) != filepath.Clean(path) || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil {
			all = append(all, sibling{p, info.ModTime().UnixNano()})
		}
	}
	slices.SortStableFunc(all, func(a, b sibling) int {
		return cmp.Or(cmp.Compare(b.at, a.at), strings.Compare(a.path, b.path)) // acl.log.1 before acl.log.1.gz
	})
	for _, s := range all[:min(len(all), siblingsMost)] {
		out = append(out, s.path)
	}
	return out
}

// LinePlace is the origin of lines, as far as a path tells; fields it does not tell are empty.
type LinePlace struct{ Node, Namespace, Pod, Container string }

// PlaceOf reads the folders of must-gather, of the kubelet and of dumps by node:
//
//	…/namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/current.log
//	/var/log/pods/NS_POD_UID/CONTAINER/0.log
//	/var/log/containers/POD_NS_CONTAINER-ID.log
//	…/nodes/NODE/…
//
// Of a pod the node is asked of the file POD.yaml that a must-gather has beside it.
func PlaceOf(path string) (p LinePlace) {
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

// nodeName is the node of a pod, by the file a must-gather keeps of it.
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
