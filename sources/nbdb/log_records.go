package nbdb

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"rung/sources/files"
	"strconv"
	"strings"
)

// The words that name a file's format.
const (
	magicJSON    = "JSON"
	magicCluster = "CLUSTER"
)

// maxHeader is the longest line before a record, in bytes:
// "OVSDB CLUSTER <length> <40 digits>\n".
const maxHeader = 96

// logReader splits a file into records (ovsdb(5)): a line with format, length and SHA-1, then the contents.
type logReader struct {
	r         *bufio.Reader
	maxBytes  int64 // limit of bytes to read, expanded
	bytesLeft int64 // bytes left of maxBytes
	max       int64 // of a record
	magic     string
	offset    int64 // start of the current record
	size      int64 // of the current record, with its line
	records   int   // records done
	hash      string
	buf       bytes.Buffer
}

// nextRecord returns the contents of the record at offset, valid until the next call. io.EOF means that the
// file ends after a whole record.
func (l *logReader) nextRecord() ([]byte, error) {
	length, hash, err := l.readHeader()
	if err != nil {
		return nil, err
	}
	if length > l.max {
		return nil, fmt.Errorf("a record of %d bytes is %w of %s", length, ErrTooLarge, files.SizeText(l.max))
	}
	if length > l.bytesLeft {
		return nil, fmt.Errorf("the file is %w of %s once expanded", ErrTooLarge, files.SizeText(l.maxBytes))
	}
	// The buffer grows with the bytes read, not with the promised length.
	l.buf.Reset()
	n, err := io.Copy(&l.buf, io.LimitReader(l.r, length))
	switch {
	case isCutShort(err) || err == nil && n < length:
		return nil, fmt.Errorf("%w: %d of %d bytes", ErrCut, n, length)
	case err != nil:
		return nil, err
	}
	if sum := sha1.Sum(l.buf.Bytes()); hex.EncodeToString(sum[:]) != hash {
		return nil, ErrHash
	}
	l.bytesLeft -= length
	l.size += length
	l.hash = hash
	return l.buf.Bytes(), nil
}

// readHeader reads the line before a record.
func (l *logReader) readHeader() (length int64, hash string, err error) {
	line, err := l.r.ReadSlice('\n')
	l.size = int64(len(line))
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		if l.records == 0 {
			return 0, "", fmt.Errorf("%w: it is empty", ErrNotDatabase)
		}
		return 0, "", io.EOF
	case l.records == 0 && !bytes.HasPrefix(line, []byte("OVSDB ")):
		return 0, "", fmt.Errorf("%w: it does not begin with OVSDB", ErrNotDatabase)
	case isCutShort(err):
		return 0, "", fmt.Errorf("%w: the line before its contents is incomplete", ErrCut)
	case errors.Is(err, bufio.ErrBufferFull) || err == nil && len(line) > maxHeader:
		return 0, "", fmt.Errorf("%w: no line with length and hash", ErrContent)
	case err != nil:
		return 0, "", err
	}
	l.bytesLeft -= l.size
	f := strings.Split(string(line[:len(line)-1]), " ")
	if len(f) != 4 || f[0] != "OVSDB" || len(f[3]) != 2*sha1.Size {
		return 0, "", fmt.Errorf("%w: no line with length and hash", ErrContent)
	}
	switch {
	case f[1] != magicJSON && f[1] != magicCluster:
		return 0, "", fmt.Errorf("%w: unknown format %q", ErrContent, f[1])
	case l.magic != "" && f[1] != l.magic:
		return 0, "", fmt.Errorf("%w: format %s in a file of format %s", ErrContent, f[1], l.magic)
	}
	length, err = strconv.ParseInt(f[2], 10, 64)
	if err != nil || length <= 0 {
		return 0, "", fmt.Errorf("%w: length %q", ErrContent, f[2])
	}
	l.magic = f[1]
	return length, f[3], nil
}

// isCutShort reports whether a read failed because the file or compressed stream ended.
func isCutShort(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
