//go:build !linux

package main

// hugePages does nothing: there is no way to ask for large pages.
func hugePages() {}
