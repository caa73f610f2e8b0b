//go:build unix && !linux && !darwin

package files

import "errors"

func exchangeFiles(string, string) error { return errors.ErrUnsupported }

func renameNew(string, string) error { return errors.ErrUnsupported }

func isOpenForWriting(string) (bool, error) { return false, errors.ErrUnsupported }
