package nbdb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"rung/model/words"
)

// maxFound limits the databases found in folders: no cluster has as many nodes.
const maxFound = 10_000

// FindDatabases returns the Northbound database files below the folders in paths, sorted; archive members as
// ARCHIVE!MEMBER. A file counts if it is named as in OVN-Kubernetes or must-gather, and begins like a database
// file. Unreadable files, and paths other than folders, are skipped.
func FindDatabases(ctx context.Context, paths []string) ([]string, error) {
	return untilEnd(ctx, strings.Join(paths, ", "), func() ([]string, error) { return findDatabases(ctx, paths) })
}

func findDatabases(ctx context.Context, paths []string) ([]string, error) {
	found := map[string]bool{}
	var archives []string
	for _, root := range paths {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			continue
		}
		// WalkDir follows a link to a folder only with a trailing separator.
		top := filepath.Clean(root) + string(filepath.Separator)
		err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return nil
			case d.IsDir() && p != top && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case !d.Type().IsRegular() || !words.IsClean(p):
				return nil
			case isDatabaseName(p) && beginsAsDatabase(p):
				found[p] = true
			case isArchiveName(p) && strings.Contains(strings.ToLower(d.Name()), "ovnk_database_store"):
				archives = append(archives, p)
			}
			return tooManyDatabases(root, len(found))
		})
		if err != nil {
			return nil, err
		}
	}
	for _, a := range archives {
		for _, m := range listDatabases(ctx, a) {
			if !found[filepath.Join(filepath.Dir(a), filepath.FromSlash(m))] { // not unpacked beside it
				found[a+"!"+m] = true
			}
		}
		if err := tooManyDatabases(a, len(found)); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), ctx.Err()
}

func tooManyDatabases(where string, n int) error {
	if n > maxFound {
		return fmt.Errorf("look for databases in %s: more than %d found; name some with --nb file:PATH",
			words.CleanText(where), maxFound)
	}
	return nil
}

// isDatabaseName reports whether a file is named like a Northbound database: ovnnb_db.db in a container,
// POD_nbdb and leader_nbdb in a must-gather.
func isDatabaseName(p string) bool {
	base := strings.ToLower(path.Base(filepath.ToSlash(p)))
	return !isArchiveName(base) && (strings.Contains(base, "_nbdb") || strings.Contains(base, "ovnnb_db.db"))
}

// beginsAsDatabase checks the first bytes of a file.
func beginsAsDatabase(p string) bool {
	file, err := openLimited(p, Limits{}.withDefaults().File)
	if err != nil {
		return false
	}
	defer file.Close()
	in, err := expandStream(file)
	return err == nil && hasLogHeader(in)
}

func hasLogHeader(in *bufio.Reader) bool {
	const start = "OVSDB "
	head, err := in.Peek(len(start))
	return err == nil && string(head) == start
}

// listDatabases lists an archive's databases, up to the first unreadable byte.
func listDatabases(ctx context.Context, archive string) (names []string) {
	limits := Limits{}.withDefaults()
	file, err := openLimited(archive, limits.File)
	if err != nil {
		return nil
	}
	defer file.Close()
	_ = walkMembers(ctx, file, limits.Expanded, func(name string, text io.Reader) (bool, error) {
		if isDatabaseName(name) && words.IsClean(name) {
			if in, err := expandStream(text); err == nil && hasLogHeader(in) {
				names = append(names, name)
			}
		}
		return len(names) <= maxFound, nil
	})
	return names
}
