# The publisher of packages: one variable, BROADSIDE_PUBLISHER, a list of a contact and an address. The checkout has no
# value of it, so that a package without a publisher is an error and never carries an address that leads nowhere.

# broadside_get_publisher(<variable for the contact> <variable for the address>)
function(broadside_get_publisher out_contact out_url)
    list(LENGTH BROADSIDE_PUBLISHER count)
    if(count EQUAL 2)
        list(GET BROADSIDE_PUBLISHER 0 contact)
        list(GET BROADSIDE_PUBLISHER 1 url)
    endif()
    if(NOT contact MATCHES "^[^<>]+ <[^<>@ ]+@[^<>@ ]+>$" OR NOT url MATCHES "^(https?|ssh|git|file)://[^ ]+$")
        message(FATAL_ERROR "BROADSIDE_PUBLISHER is '${BROADSIDE_PUBLISHER}': a package needs the contact and the "
            "address of the repository of those who publish it, as in "
            "-D \"BROADSIDE_PUBLISHER=Name <name@example.org>;https://example.org/broadside.git\"")
    endif()
    set(${out_contact} "${contact}" PARENT_SCOPE)
    set(${out_url} "${url}" PARENT_SCOPE)
endfunction()
