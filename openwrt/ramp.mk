# SPDX-License-Identifier: GPL-2.0
#
# What the packages of this feed share. The sources are the tree that the feed lies in.

RAMP_TREE:=$(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)

PKG_VERSION:=$(shell sed -n 's/^RAMP_VERSION := //p' $(RAMP_TREE)/Kbuild)
PKG_RELEASE:=1
PKG_MAINTAINER:=Seed 1d6dd388 maintainers <maintainers@users.noreply.a-seed-1d6dd388.example>
PKG_LICENSE:=GPL-2.0-only
PKG_LICENSE_FILES:=COPYING
