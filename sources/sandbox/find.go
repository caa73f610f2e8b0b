package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model/words"
)

// Auto makes FindTools search PATH.
const Auto = "auto"

// The oldest release whose ACLs have tiers.
const (
	oldestYear  = 23
	oldestMonth = 6
)

// ErrTooOld means that the found OVN does not support tiers.
var ErrTooOld = errors.New("OVN 23.06 or newer is needed")

// needed are the programs of a zone.
var needed = []string{"ovn-northd", "ovn-controller", "ovs-vswitchd", "ovsdb-server"}

// The databases of a zone, and their schemas below a share folder.
const (
	dbNB = "nb"
	dbSB = "sb"
	dbVS = "vs"
)

var schemas = map[string]string{dbNB: "ovn/ovn-nb.ovsschema", dbSB: "ovn/ovn-sb.ovsschema", dbVS: "openvswitch/vswitch.ovsschema"}

// Tools are the programs and schemas of one OVN.
type Tools struct {
	// Version is OVN's version, such as "25.03.0". OVS is the version of the Open vSwitch it was built with.
	Version, OVS string

	root     string   // the given folder; empty with PATH
	loader   []string // starts a chroot's program with the chroot's libraries
	programs map[string]string
	schemas  map[string]string
}

// Describe returns a name with the version, such as "OVN 25.03.0".
func (t *Tools) Describe() string { return "OVN " + t.Version }

// FindTools finds an OVN: in PATH if place is empty or Auto, else in a folder, which is an installation's
// prefix or a chroot's root. A chroot's programs run with its own loader and libraries, without chroot(2) and
// its rights. The error names the missing files in one line.
func FindTools(ctx context.Context, place string) (*Tools, error) {
	if err := words.ServersError(runtime.GOOS); err != nil {
		return nil, err
	}
	t := &Tools{programs: map[string]string{}, schemas: map[string]string{}}
	where := "PATH"
	if place != "" && place != Auto {
		root, err := filepath.Abs(place)
		if err != nil {
			return nil, fmt.Errorf("looking for OVN: %w", err)
		}
		if fi, err := os.Stat(root); err != nil {
			return nil, fmt.Errorf("looking for OVN: %w", err)
		} else if !fi.IsDir() {
			return nil, fmt.Errorf("looking for OVN: %s is not a folder", root)
		}
		t.root, where = root, root
		t.loader = findLoader(root)
	}
	var missing []string
	for _, name := range needed {
		var err error
		if t.programs[name], err = t.programPath(name); err != nil {
			missing = append(missing, name)
		}
	}
	for _, db := range []string{dbNB, dbSB, dbVS} {
		t.schemas[db] = t.findSchema(schemas[db])
		if t.schemas[db] == "" {
			missing = append(missing, filepath.Base(schemas[db]))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("looking for OVN in %s: missing %s", words.CleanText(where), strings.Join(missing, ", "))
	}
	if err := t.askVersion(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// versionLine matches the version line of every OVN and OVS program. Before OVN became a project of its own,
// it had Open vSwitch's version.
var versionLine = regexp.MustCompile(`(?m)^(?:ovn-northd(?: \(Open vSwitch\))?|Open vSwitch Library) (\d+)\.(\d+)(\.\d+)?`)

func (t *Tools) askVersion(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, StartWithin)
	defer cancel()
	cmd, err := t.CommandContext(ctx, "ovn-northd", "--version")
	if err != nil {
		return err
	}
	cmd.WaitDelay = time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("asking ovn-northd for its version: %w: %s", err, words.CleanText(strings.TrimSpace(said.String())))
	}
	return t.readVersion(string(out))
}

func (t *Tools) readVersion(out string) error {
	lines := versionLine.FindAllStringSubmatch(out, 2)
	if len(lines) == 0 {
		return errors.New("asking ovn-northd for its version: it prints none")
	}
	number := func(m []string) string { return m[1] + "." + m[2] + m[3] }
	t.Version = number(lines[0])
	if len(lines) > 1 {
		t.OVS = number(lines[1])
	}
	year, err1 := strconv.Atoi(lines[0][1])
	month, err2 := strconv.Atoi(lines[0][2])
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("asking ovn-northd for its version: %w", err)
	}
	if year < oldestYear || year == oldestYear && month < oldestMonth {
		return fmt.Errorf("%w: this is %s", ErrTooOld, t.Version)
	}
	return nil
}

// CommandContext returns a command that runs a program of this OVN, such as ovn-trace.
func (t *Tools) CommandContext(ctx context.Context, name string, args ...string) (*exec.Cmd, error) {
	path, err := t.programPath(name)
	if err != nil {
		return nil, err
	}
	line := slices.Concat(t.loader, []string{path}, args)
	return exec.CommandContext(ctx, line[0], line[1:]...), nil
}

// programDirs are the folders of programs below a root or prefix. Distributions put some programs where only
// root's PATH leads.
var programDirs = []string{"usr/local/sbin", "usr/local/bin", "usr/sbin", "usr/bin", "sbin", "bin"}

// programPath returns a program's path. It must not change t: all zones use the same Tools concurrently.
func (t *Tools) programPath(name string) (string, error) {
	if path := t.programs[name]; path != "" {
		return path, nil
	}
	if t.root == "" {
		path, err := exec.LookPath(name)
		for i := 0; err != nil && i < len(programDirs); i++ {
			path, err = exec.LookPath("/" + programDirs[i] + "/" + name)
		}
		if err != nil {
			return "", fmt.Errorf("looking for OVN in PATH: missing %s", name)
		}
		return path, nil
	}
	for _, dir := range programDirs {
		if path, err := resolveInside(t.root, dir+"/"+name); err == nil && isFile(path, 0o111) {
			return path, nil
		}
	}
	return "", fmt.Errorf("looking for OVN in %s: missing %s", words.CleanText(t.root), name)
}

func (t *Tools) findSchema(name string) string {
	// First beside the programs: an installation below /opt has its own.
	shares := []string{filepath.Join(filepath.Dir(t.programs["ovn-northd"]), "../share", name), "/usr/local/share/" + name,
		"/usr/share/" + name}
	if t.root != "" {
		for i, share := range []string{"usr/local/share/", "usr/share/", "share/"} {
			shares[i], _ = resolveInside(t.root, share+name)
		}
	}
	if i := slices.IndexFunc(shares, func(path string) bool { return isFile(path, 0) }); i >= 0 {
		return shares[i]
	}
	return ""
}

// isFile reports whether a path is a regular file, with any of the given permissions unless they are 0.
func isFile(path string, permissions fs.FileMode) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular() && (permissions == 0 || fi.Mode()&permissions != 0)
}

// findLoader returns the start of a command that runs a chroot's program with its libraries, nil if the folder
// has no loader.
func findLoader(root string) []string {
	var loader string
	for _, pattern := range []string{"lib64/ld-linux*.so*", "lib/ld-linux*.so*", "usr/lib64/ld-linux*.so*", "usr/lib/ld-linux*.so*"} {
		dir, name := filepath.Split(pattern)
		at, err := resolveInside(root, dir)
		if err != nil {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(at, name)) // the pattern is valid
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				continue
			}
			if path, err := resolveInside(root, rel); err == nil && isFile(path, 0) {
				loader = path
			}
		}
		if loader != "" {
			break
		}
	}
	if loader == "" {
		return nil
	}
	var dirs []string
	for _, pattern := range []string{"usr/local/lib", "usr/local/lib/*-linux-*", "usr/lib/*-linux-*", "usr/lib64", "usr/lib", "lib/*-linux-*",
		"lib64"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern)) // the same
		for _, dir := range found {
			if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
				dirs = append(dirs, dir)
			}
		}
	}
	return []string{loader, "--library-path", strings.Join(dirs, ":")}
}

// maxLinks limits the links in a path.
const maxLinks = 40

// resolveInside resolves a path below root as chroot(2) would: absolute links start at root, and ".." stops
// there.
func resolveInside(root, path string) (string, error) {
	todo := strings.Split(filepath.Clean("/"+path), "/")
	at := "/"
	for links := 0; len(todo) > 0; {
		step := todo[0]
		todo = todo[1:]
		next := filepath.Join(at, step) // of an absolute path: never above "/"
		fi, err := os.Lstat(filepath.Join(root, next))
		if err != nil {
			return "", err
		}
		if fi.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		links++
		if links > maxLinks {
			return "", fmt.Errorf("%s: too many links", path)
		}
		to, err := os.Readlink(filepath.Join(root, next))
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		todo = append(strings.Split(to, "/"), todo...)
	}
	return filepath.Join(root, at), nil
}
