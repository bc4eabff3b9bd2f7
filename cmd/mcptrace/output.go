package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file whole or not at all, and says on standard error that it did; - is standard output.
func writeFile(s *streams, path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(s.out)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	did := "wrote"
	if _, err := os.Lstat(path); err == nil {
		did = "replaced"
	}
	if err := replaceFile(path, b.Bytes()); err != nil {
		return pathError(path, err)
	}
	fmt.Fprintf(s.err, "mcptrace: %s %s\n", did, path)
	return nil
}

// replaceFile puts a file that only its owner may read in the place of what is at path.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".mcptrace-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
