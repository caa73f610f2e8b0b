package nbdb

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"rung/model/words"
	"rung/sources/files"
)

// A must-gather has the databases of all nodes in one compressed archive, which can only be read from its
// start. Archives reads each archive once.

// splitArchive splits "ARCHIVE!MEMBER".
func splitArchive(path string) (archive, member string, ok bool) {
	for i := range len(path) {
		if path[i] == '!' && isArchiveName(path[:i]) {
			return path[:i], path[i+1:], true
		}
	}
	return "", "", false
}

func isArchiveName(path string) bool {
	p := strings.ToLower(path)
	return strings.HasSuffix(p, ".tar.gz") || strings.HasSuffix(p, ".tgz") || strings.HasSuffix(p, ".tar")
}

// Archives caches the compressed databases of archives until an archive changes. A nil Archives reads the
// archive again for every member. Any goroutine may use it; reads happen one at a time.
type Archives struct {
	mu       sync.Mutex
	archives map[string]*archiveFile
}

type archiveFile struct {
	size    int64
	mod     time.Time
	members map[string][]byte // compressed
	err     error             // why members may be missing
}

// NewArchives returns an empty Archives.
func NewArchives() *Archives { return &Archives{archives: map[string]*archiveFile{}} }

// readMember returns a member of an archive, compressed.
func (a *Archives) readMember(ctx context.Context, path, member string, limits Limits) ([]byte, error) {
	in, err := a.openArchive(ctx, path, member, limits)
	if err != nil {
		return nil, err
	}
	if text, ok := in.members[member]; ok {
		return text, nil
	}
	why := cmp.Or(in.err, fmt.Errorf("no member %s: %w", words.CleanText(member), os.ErrNotExist))
	return nil, fmt.Errorf("read %s: %w", words.CleanText(path), why)
}

// openArchive reads an archive unless it is cached and unchanged.
func (a *Archives) openArchive(ctx context.Context, path, member string, limits Limits) (*archiveFile, error) {
	wanted := func(name string) bool { return name == member }
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		wanted = func(name string) bool { return name == member || isDatabaseName(name) }
	}
	file, err := openLimited(path, limits.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, readError(path, err)
	}
	if a != nil && a.archives[path] != nil {
		known := a.archives[path]
		_, ok := known.members[member]
		if known.size == info.Size() && known.mod.Equal(info.ModTime()) && (ok || isDatabaseName(member)) {
			return known, nil
		}
	}
	in := &archiveFile{size: info.Size(), mod: info.ModTime(), members: map[string][]byte{}}
	in.err = in.readMembers(ctx, file, wanted, limits)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if a != nil {
		a.archives[path] = in
	}
	return in, nil
}

// readMembers reads the wanted members. An error keeps those read before it.
func (in *archiveFile) readMembers(ctx context.Context, r io.Reader, wanted func(string) bool, limits Limits) error {
	kept := int64(0)
	return walkMembers(ctx, r, limits.Expanded, func(name string, text io.Reader) (bool, error) {
		if !wanted(name) {
			return true, nil
		}
		packed, err := packStream(text, limits.Record-kept)
		if errors.Is(err, ErrTooLarge) {
			return false, fmt.Errorf("its databases are %w of %s", ErrTooLarge, files.SizeText(limits.Record))
		}
		if err != nil {
			return false, err
		}
		kept += int64(len(packed))
		in.members[name] = packed
		return true, nil
	})
}

// walkMembers visits the files of an archive until visit wants no more. Each expands to at most limit bytes,
// all together to 16 times that: a cluster has many nodes.
func walkMembers(ctx context.Context, r io.Reader, limit int64,
	visit func(name string, text io.Reader) (more bool, err error)) error {
	in, err := expandStream(r)
	if err != nil {
		return err
	}
	left := &io.LimitedReader{R: in, N: 16 * limit}
	t := tar.NewReader(left)
	for ctx.Err() == nil {
		h, err := t.Next()
		more := true
		switch {
		case err == io.EOF && left.N > 0:
			return nil
		case err == nil && h.Typeflag == tar.TypeReg:
			more, err = visit(strings.TrimPrefix(h.Name, "./"), io.LimitReader(t, limit))
		}
		switch {
		case left.N <= 0:
			return fmt.Errorf("the archive is %w of %s once expanded", ErrTooLarge, files.SizeText(16*limit))
		case errors.Is(err, ErrTooLarge):
			return err
		case err != nil:
			return fmt.Errorf("the archive is damaged: %w", err)
		case !more:
			return nil
		}
	}
	return ctx.Err()
}

// packStream compresses a stream, unless it is compressed, into no more than most bytes. The limit holds while
// reading: an archive may expand a thousandfold and look compressed.
func packStream(r io.Reader, most int64) ([]byte, error) {
	head := make([]byte, 2)
	n, err := io.ReadFull(r, head)
	if err != nil && !isCutShort(err) {
		return nil, err
	}
	r = io.MultiReader(bytes.NewReader(head[:n]), r)
	b := boundedBuffer{bytesLeft: most}
	if head[0] == 0x1f && head[1] == 0x8b {
		_, err := io.Copy(&b, r)
		return b.b.Bytes(), err
	}
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(z, r); err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	return b.b.Bytes(), nil
}

// boundedBuffer stores written bytes up to a limit.
type boundedBuffer struct {
	b         bytes.Buffer
	bytesLeft int64
	onWrite   func(isOver bool) // may be nil
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.bytesLeft -= int64(len(p))
	if b.onWrite != nil {
		b.onWrite(b.bytesLeft < 0)
	}
	if b.bytesLeft < 0 {
		return 0, ErrTooLarge
	}
	return b.b.Write(p)
}
