//go:build !linux

package analyze

import (
	"errors"
	"os"
)

// mapFile maps nothing: facts are in memory here.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func reserve(*os.File, int, int) error { return errors.ErrUnsupported }

func leave([]byte) {}

func unmap([]byte) {}
