package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"mcptrace/store/lite"
)

// SQLite's primary result codes that a user can do something about.
//
// Source: https://sqlite.org/rescode.html
const (
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// damaged says that the recording is damaged because of err; nil: it is not.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// plainError says in words what SQLite means.
func plainError(err error) error {
	switch codeOf(err) {
	case codeBusy, codeLocked:
		return fmt.Errorf("%w: %w", ErrLocked, err)
	case codeReadOnly:
		return fmt.Errorf("the file or its directory cannot be written: %w", err)
	case codeIO:
		return fmt.Errorf("input/output error: %w", err)
	case codeCorrupt, codeNotADB:
		return damaged(err)
	case codeFull:
		return fmt.Errorf("the disk is full: %w", err)
	case codeCantOpen:
		return fmt.Errorf("the file cannot be opened: %w", err)
	}
	return err
}

// isCode reports whether err is SQLite's with that primary code.
func isCode(err error, code int) bool { return codeOf(err) == code }

// codeOf returns the primary code of an error of SQLite, 0 of any other.
func codeOf(err error) int {
	var byDriver *sqlite.Error
	var direct *lite.Error
	switch {
	case errors.As(err, &byDriver):
		return byDriver.Code() & 0xff
	case errors.As(err, &direct):
		return direct.Code() & 0xff
	}
	return 0
}
