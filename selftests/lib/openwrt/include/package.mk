# SPDX-License-Identifier: GPL-2.0

# Called with the name of a package, after all that it says of itself.
define BuildPackage
$(eval $(call Package/$(1)))
$(foreach name,PKG_NAME PKG_VERSION PKG_RELEASE PKG_LICENSE PKG_MAINTAINER TITLE DEPENDS,\
	$(if $($(name)),,$(error $(1) says no $(name))))
all:
$(Build/Prepare)
	test -s $(PKG_BUILD_DIR)/$(PKG_LICENSE_FILES)
$(Build/Compile)
	$(call Package/$(1)/install,$(OUT)/root)
	echo '$(1) $(PKG_VERSION): $(DEPENDS)' >$(OUT)/package
endef
