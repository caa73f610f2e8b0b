//go:build unix && !linux && !darwin

package safefile

import "errors"

func exchange(string, string) error { return errors.ErrUnsupported }

func place(string, string) error { return errors.ErrUnsupported }

func writing(string) (bool, error) { return false, errors.ErrUnsupported }
