//go:build !linux

package analyze

import (
	"errors"
	"os"
)

// canMap tells that facts are in memory here.
const canMap = false

func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func reserve(*os.File, int, int) error { return errors.ErrUnsupported }

func leave([]byte) {}

func unmap([]byte) {}
