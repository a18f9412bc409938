# Writes TO: the text of FROM without its zones. Lines keep their numbers.
file(READ "${FROM}" text)
string(REGEX REPLACE "#include \"core/src/zones[.]hpp\"" "" text "${text}")
string(REGEX REPLACE " *BROADSIDE_ZONE\\(\"[^\"]*\"\\);\n" "\n" text "${text}")
if(text MATCHES "BROADSIDE_ZONE|zones[.]hpp")
    message(FATAL_ERROR "${FROM}: a zone stands where remove_zones.cmake does not find it")
endif()
file(WRITE "${TO}" "${text}")
